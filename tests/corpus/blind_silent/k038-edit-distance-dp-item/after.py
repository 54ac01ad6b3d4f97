from itertools import product

import torch
import torch.nn as nn


def soft_min(gamma: float, *values: torch.Tensor) -> torch.Tensor:
    return -gamma * torch.logsumexp(-torch.stack(values) / gamma, dim=0)


class SoftDTW(nn.Module):
    def __init__(self, gamma: float = 0.5):
        super().__init__()
        self.gamma = gamma

    def _table(self, cost: torch.Tensor) -> torch.Tensor:
        n, m = cost.shape
        table = torch.full((n + 1, m + 1), 1e4)
        table[0, 0] = 0.0
        for i, j in product(range(1, n + 1), range(1, m + 1)):
            best = soft_min(self.gamma, table[i - 1, j].clone(), table[i, j - 1].clone(), table[i - 1, j - 1].clone())
            table[i, j] = cost[i - 1, j - 1] + best
        return table

    def forward(self, a, b):
        cost = (a.unsqueeze(1) - b.unsqueeze(0)).square().sum(-1)
        return self._table(cost)[-1, -1]


class Warper(nn.Module):
    def __init__(self, dim=2):
        super().__init__()
        self.proj = nn.Linear(dim, dim)
        self.gru = nn.GRU(dim, dim, batch_first=True)

    def forward(self, seq):
        out, _ = self.gru(self.proj(seq).unsqueeze(0))
        return out.squeeze(0)


def main():
    torch.manual_seed(173)
    net, dtw = Warper(), SoftDTW()
    seq, ref = torch.randn(5, 2), torch.randn(4, 2)
    dtw(net(seq), ref).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
