import math

import torch
from torch import nn


class Positional(nn.Module):
    def __init__(self, d, max_len=16):
        super().__init__()
        table = torch.zeros(max_len, d)
        pos = torch.arange(max_len, dtype=torch.float).unsqueeze_(1)
        rate = torch.arange(0, d, 2).float().mul_(-math.log(1e4) / d).exp_()
        table[:, 0::2] = torch.sin(pos * rate)
        table[:, 1::2] = torch.cos(pos * rate)
        self.register_buffer("table", table.unsqueeze_(0))

    def forward(self, x):
        return x + self.table[:, : x.size(1)]


class Tagger(nn.Module):
    def __init__(self, vocab, d, pad=0):
        super().__init__()
        self.embed = nn.Embedding(vocab, d, padding_idx=pad)
        self.pos, self.out = Positional(d), nn.Linear(d, 3)
        self.apply(self._init)

    @staticmethod
    @torch.no_grad()
    def _init(m):
        if isinstance(m, nn.Embedding):
            m.weight.normal_(0, 0.02)
            m.weight[m.padding_idx].zero_()
        elif isinstance(m, nn.Linear):
            nn.init.xavier_uniform_(m.weight).mul_(0.5)
            m.bias.data.fill_(0.1)

    def forward(self, ids):
        return self.out(torch.relu_(self.pos(self.embed(ids))))


def main():
    torch.manual_seed(18)
    model = Tagger(9, 4)
    model(torch.tensor([[1, 2, 0], [3, 8, 5]])).logsumexp(-1).sum().backward()
    return {n: p.grad.clone() for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
