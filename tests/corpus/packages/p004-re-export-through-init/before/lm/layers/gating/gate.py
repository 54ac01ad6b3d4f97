import torch
from torch import nn


class SigmoidGate(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.proj = nn.Linear(width, width)

    def forward(self, x):
        return torch.sigmoid(self.proj(x))
