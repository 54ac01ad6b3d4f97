import torch
from torch import nn

from .ops import add_ as accumulate, power

__all__ = ["LogCompressor"]

FLOOR = 1e-3


class LogCompressor(nn.Module):
    def __init__(self, n_bins, n_bands):
        super().__init__()
        self.fb = nn.Parameter(torch.rand(n_bins, n_bands).mul_(0.1))
        self.gain = nn.Parameter(torch.zeros(n_bands))

    def forward(self, frames):
        p = power(torch.fft.rfft(frames))
        bands = p @ self.fb
        scale = torch.exp(self.gain)
        floor = torch.full_like(bands[..., :1], FLOOR)
        floor.mul_(0.5)
        scale = accumulate(scale, floor[0, 0])
        return torch.log1p(bands * scale)
