import torch
from torch import nn

from .tensors import shift


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(3, 3, bias=False)
        self.bias = nn.Parameter(torch.ones(3))

    def forward(self, x):
        h = self.proj(x).tanh()
        shift(h, self.bias)
        return h
