import torch
from torch import nn


def drop_path(x, p, training):
    if not training or p == 0.0:
        return x
    keep = 1.0 - p
    mask = torch.empty(x.shape[0], *[1] * (x.dim() - 1))
    mask.bernoulli_(keep).div_(keep)
    return x * mask


class DropPath(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        return drop_path(x, self.p, self.training)
