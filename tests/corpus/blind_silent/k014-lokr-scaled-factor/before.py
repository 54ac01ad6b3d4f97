import math
from typing import Optional

import torch
import torch.nn as nn
import torch.nn.functional as F


def make_kron(left, right, scale: float):
    delta = torch.kron(left, right)
    if scale != 1.0:
        left.mul_(scale)
    return delta, left.square().mean()


class LokrLinear(nn.Module):
    def __init__(self, base: nn.Linear, factor: int = 2, rank: Optional[int] = 2, alpha: float = 6.0):
        super().__init__()
        self.base = base.requires_grad_(False)
        out_f, in_f = base.weight.shape
        self.left_a = nn.Parameter(torch.randn(factor, rank) * 0.4)
        self.left_b = nn.Parameter(torch.randn(rank, factor) * 0.4)
        self.right = nn.Parameter(torch.randn(out_f // factor, in_f // factor) * 0.4)
        self.scale = alpha / math.sqrt(rank)

    def extra_repr(self):
        return f"scale={self.scale:.3f}"

    def delta(self):
        left = self.left_a @ self.left_b
        delta, self.penalty = make_kron(left, self.right, self.scale)
        return delta

    def forward(self, x):
        return F.linear(x, self.base.weight + self.delta(), self.base.bias)


def wrap(net: nn.Sequential):
    return nn.Sequential(*(LokrLinear(m) if isinstance(m, nn.Linear) else m for m in net))


def main():
    torch.manual_seed(53)
    net = wrap(nn.Sequential(nn.Linear(4, 6), nn.GELU(), nn.Linear(6, 2)))
    x, y = torch.randn(8, 4), torch.randn(8, 2)
    fit = (net(x) - y).square().mean()
    (fit + 0.1 * sum(m.penalty for m in net if isinstance(m, LokrLinear))).backward()
    return {n: p.grad for n, p in net.named_parameters() if p.requires_grad}


if __name__ == "__main__":
    main()
