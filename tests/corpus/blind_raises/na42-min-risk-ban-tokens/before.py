import math

import torch
from torch import nn


class Dictionary:
    pad_index, eos_index, unk_index = 0, 1, 2

    def __init__(self, size):
        self.size = size

    def __len__(self):
        return self.size


class TinyDecoder(nn.Module):
    def __init__(self, dictionary, dim):
        super().__init__()
        self.embed = nn.Embedding(len(dictionary), dim, padding_idx=dictionary.pad_index)
        self.cell = nn.LSTMCell(dim, dim)
        self.out = nn.Linear(dim, len(dictionary))

    def forward(self, token, state):
        h, c = self.cell(self.embed(token), state)
        return self.out(h), (h, c)


class SamplingGenerator:
    def __init__(self, model, dictionary, max_len=4, min_len=2, unk_penalty=0.5):
        self.model, self.dict = model, dictionary
        self.max_len, self.min_len, self.unk_penalty = max_len, min_len, unk_penalty

    def step_scores(self, logits, step):
        lprobs = torch.log_softmax(logits, dim=-1)
        lprobs[:, self.dict.pad_index] = -math.inf
        lprobs[:, self.dict.unk_index] -= self.unk_penalty
        if step < self.min_len:
            lprobs[:, self.dict.eos_index] = -math.inf
        return lprobs

    def generate(self, memory):
        token = torch.full((len(memory),), self.dict.eos_index)
        state, total, tokens = (memory, torch.zeros_like(memory)), 0.0, []
        for step in range(self.max_len):
            logits, state = self.model(token, state)
            scores = self.step_scores(logits, step)
            token = scores.detach().exp().multinomial(1).squeeze(1)
            total = total + scores.gather(1, token.unsqueeze(1)).squeeze(1)
            tokens.append(token)
        return torch.stack(tokens, dim=1), total


def expected_risk(total, risk):
    q = torch.softmax(total, dim=0)
    return (q * risk).sum()


def main():
    torch.manual_seed(0)
    vocab = Dictionary(9)
    model = TinyDecoder(vocab, 5)
    tokens, total = SamplingGenerator(model, vocab).generate(torch.randn(3, 5))
    risk = (tokens == 4).float().sum(dim=1)
    expected_risk(total, risk + 0.1 * tokens[:, 0]).backward()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
