from typing import NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F


class Factors(NamedTuple):
    left: torch.Tensor
    right: torch.Tensor


def kron_weight(f: Factors, scale: float, base: torch.Tensor) -> torch.Tensor:
    w = torch.kron(f.left, f.right)
    return w * scale + base


class KronLinear(nn.Module):
    def __init__(self, a, b, c, d, scale=0.5):
        super().__init__()
        self.left = nn.Parameter(torch.randn(a, b) * 0.5)
        self.right = nn.Parameter(torch.randn(c, d) * 0.5)
        self.register_buffer("base", torch.eye(a * c, b * d))
        self.bias = nn.Parameter(torch.zeros(a * c))
        self.scale = scale

    @property
    def weight(self):
        return kron_weight(Factors(self.left, self.right), self.scale, self.base)

    def forward(self, x):
        return F.linear(x, self.weight, self.bias)


def main():
    torch.manual_seed(59)
    net = nn.Sequential(KronLinear(2, 2, 3, 2), nn.Softsign(), KronLinear(1, 3, 2, 2))
    x, y = torch.randn(8, 4), torch.randint(0, 2, (8,))
    F.cross_entropy(net(x), y).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
