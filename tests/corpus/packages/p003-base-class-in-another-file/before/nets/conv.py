import torch
from torch import nn

from nets import base


class ConvLayer(base.Layer):
    def __init__(self, channels):
        super().__init__(channels)
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        h = self.conv(x)
        h += self.norm(h)
        return self.act(h)
