import torch
from torch import nn

from cnn import defaults


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(defaults.CHANNELS)
        self.conv = nn.Conv1d(defaults.CHANNELS, defaults.CHANNELS, 1)
        self.act = nn.ReLU(inplace=defaults.INPLACE)

    def forward(self, x):
        h = self.norm(x)
        y = self.conv(h)
        return self.act(h) + y
