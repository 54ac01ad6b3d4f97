import torch
from torch import nn

from functions import square


class Energy(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(3, 3)

    def forward(self, x):
        x = self.proj(x)
        energy = square(x)
        x.mul_(2)
        return energy + x
