import torch
from torch import nn


class Inject(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.strength = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        x += self.strength * torch.ones_like(x)
        return x
