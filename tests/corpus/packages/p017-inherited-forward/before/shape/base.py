import torch
from torch import nn


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(4, 4)

    def forward(self, x):
        h = self.proj(x)
        y = self.mix(h)
        h += y
        return h

    def mix(self, h):
        raise NotImplementedError
