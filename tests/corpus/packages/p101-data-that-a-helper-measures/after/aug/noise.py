import torch
from torch import nn

from .measure import amplitude


class AddNoise(nn.Module):
    def __init__(self, source=torch.randn_like):
        super().__init__()
        self.source = source

    def forward(self, wave):
        noise = self.source(wave)
        noise = noise * (0.1 / (amplitude(noise) + 1e-9))
        return wave + noise
