from itertools import pairwise

import torch
from torch import nn


class DeepStack(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))

    def __len__(self):
        return len(self.layers)

    def __iter__(self):
        return iter(self.layers)


def walk(stack, x):
    """Yield (index, activation) layer by layer."""
    h = x
    for i, layer in enumerate(stack):
        h = torch.relu(layer(h))
        new = yield i, h
        if new is not None:
            h = new
