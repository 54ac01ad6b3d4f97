from torch import nn

from .units import UNITS


class Tower(nn.Module):
    def __init__(self, dim, plan):
        super().__init__()
        self.units = nn.ModuleList([UNITS[kind](dim) for kind in plan])
        self.out = nn.Linear(dim, 1)

    def forward(self, x):
        for unit in self.units:
            x = unit(x)
        return self.out(x).squeeze(-1)
