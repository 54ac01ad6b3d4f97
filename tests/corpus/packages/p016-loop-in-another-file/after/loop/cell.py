import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(3, 3)

    def forward(self, x, state):
        return torch.tanh(self.mix(x + state))
