from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn

from mixer.accel import bias_act, residual_add

if TYPE_CHECKING:
    from torch import Tensor


class Branch(nn.Module):
    def __init__(self, dim: int, hidden: int) -> None:
        super().__init__()
        self.w1 = nn.Linear(dim, hidden, bias=False)
        self.b1 = nn.Parameter(torch.zeros(hidden))
        self.w2 = nn.Linear(hidden, dim)

    def forward(self, x: Tensor) -> Tensor:
        return self.w2(bias_act(self.w1(x), self.b1))


class MixerLayer(nn.Module):
    def __init__(self, tokens: int, dim: int) -> None:
        super().__init__()
        self.n1 = nn.LayerNorm(dim)
        self.token = Branch(tokens, 2 * tokens)
        self.n2 = nn.LayerNorm(dim)
        self.chan = Branch(dim, 2 * dim)

    def forward(self, x: Tensor) -> Tensor:
        t = self.token(self.n1(x).transpose(1, 2)).transpose(1, 2)
        x = residual_add(x, t)
        return residual_add(x, self.chan(self.n2(x)))


class MLPMixer(nn.Module):
    def __init__(self, tokens: int, dim: int, depth: int) -> None:
        super().__init__()
        self.embed = nn.Linear(dim, dim)
        self.layers = nn.Sequential(*(MixerLayer(tokens, dim) for _ in range(depth)))

    def forward(self, x: Tensor) -> Tensor:
        return self.layers(self.embed(x)).mean(1)
