from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class DecoderState:
    hidden: Tensor
    coverage: Tensor


class CoverageAttention(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.query = nn.Linear(dim, dim, bias=False)
        self.memory = nn.Linear(dim, dim)
        self.cover = nn.Linear(1, dim, bias=False)
        self.energy = nn.Linear(dim, 1, bias=False)

    def forward(self, hidden: Tensor, bank: Tensor, coverage: Tensor):
        feats = self.query(hidden).unsqueeze(1) + self.memory(bank)
        feats = feats + self.cover(coverage.unsqueeze(-1))
        weights = self.energy(torch.tanh(feats)).squeeze(-1).softmax(dim=-1)
        context = torch.bmm(weights.unsqueeze(1), bank).squeeze(1)
        return context, weights


class SummaryDecoder(nn.Module):
    def __init__(self, vocab: int, dim: int):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.cell = nn.GRUCell(2 * dim, dim)
        self.attention = CoverageAttention(dim)
        self.generator = nn.Linear(dim, vocab)
        self.dim = dim

    def start(self, bank: Tensor) -> DecoderState:
        return DecoderState(bank.mean(dim=1), bank.new_zeros(bank.shape[:2]))

    def forward(self, tokens: Tensor, bank: Tensor):
        state = self.start(bank)
        scores, penalty = [], 0.0
        for token in tokens.unbind(dim=1):
            context, weights = self.attention(state.hidden, bank, state.coverage)
            penalty = penalty + torch.minimum(weights, state.coverage.detach().clone()).sum(dim=1).mean()
            state.hidden = self.cell(torch.cat([self.embed(token), context], dim=1), state.hidden)
            state.coverage += weights
            scores.append(self.generator(state.hidden))
        return torch.stack(scores, dim=1), penalty


def main():
    torch.manual_seed(3)
    decoder = SummaryDecoder(vocab=11, dim=6)
    tokens = torch.randint(0, 11, (2, 4))
    logits, penalty = decoder(tokens, torch.randn(2, 5, 6))
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens.flatten()) + 0.1 * penalty
    loss.backward()
    return {name: p.grad for name, p in decoder.named_parameters()}


if __name__ == "__main__":
    main()
