import torch
from torch import nn

from .inplace import *

__all__ = ["CouplingFlow", "Coupling"]


class Coupling(nn.Module):
    def __init__(self, dim, flip):
        super().__init__()
        half = dim // 2
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(half, 8), nn.Tanh(), nn.Linear(8, dim))

    def forward(self, x, logdet):
        a, b = x.chunk(2, dim=-1)
        if self.flip:
            a, b = b, a
        params = self.net(a)
        params = scale_by_(params, 0.5)
        shift, log_s = params.chunk(2, dim=-1)
        y = b * log_s.exp()
        y = add_(y, shift)
        logdet = logdet + log_s.sum(-1)
        out = [y, a] if self.flip else [a, y]
        return torch.cat(out, dim=-1), logdet


class CouplingFlow(nn.Module):
    def __init__(self, dim, n_layers):
        super().__init__()
        self.layers = nn.ModuleList(Coupling(dim, i % 2 == 1) for i in range(n_layers))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        x = add_(x.clone(), self.bias)
        logdet = torch.zeros(x.shape[:-1])
        for layer in self.layers:
            x, logdet = layer(x, logdet)
        return x, logdet
