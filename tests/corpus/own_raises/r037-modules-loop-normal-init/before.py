import math

import torch
from torch import nn


class CharRNN(nn.Module):
    def __init__(self, vocab, width):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, vocab)
        self.reset_parameters(1 / math.sqrt(width))

    def reset_parameters(self, bound):
        for module in self.modules():
            if isinstance(module, nn.Linear):
                module.weight.normal_(0.0, bound)
                module.bias.fill_(0.0)
            elif isinstance(module, nn.Embedding):
                nn.init.uniform_(module.weight, -bound, bound)

    def forward(self, ids):
        hidden, _ = self.rnn(self.embed(ids))
        return self.out(hidden)


def main():
    torch.manual_seed(43)
    model = CharRNN(11, 4)
    ids = torch.randint(0, 11, (2, 6))
    logits = model(ids[:, :-1])
    nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten()).backward()
    return {n: p.grad.clone() for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
