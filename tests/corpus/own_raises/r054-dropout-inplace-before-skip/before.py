from collections import OrderedDict

import torch
from torch import nn


class Parallel(nn.Module):
    """Sums the results of named branches applied to one input."""

    def __init__(self, **branches):
        super().__init__()
        self.branches = nn.ModuleDict(branches)

    def forward(self, x):
        return sum(branch(x) for branch in self.branches.values())


def mixer(d, p):
    return Parallel(
        token=nn.Sequential(OrderedDict(norm=nn.LayerNorm(d), fc=nn.Linear(d, d))),
        skip=nn.Dropout(p, inplace=True),
    )


def main():
    torch.manual_seed(63)
    net = nn.Sequential(nn.Linear(3, 4), mixer(4, 0.3), nn.Linear(4, 2))
    out = net(torch.randn(6, 3))
    nn.functional.cross_entropy(out, torch.randint(0, 2, (6,))).backward()
    return {n: p.grad.clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
