import torch
from torch import nn

from pos.init import spread_


class Embedding(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(3, 4))
        spread_(self.weight, 0.1)

    def forward(self, x):
        return x + self.weight
