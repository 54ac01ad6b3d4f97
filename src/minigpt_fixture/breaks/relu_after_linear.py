"""`F.relu_` on the result of a Linear: Linear saved its input, and relu_ saves its own result."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn

from minigpt_fixture.model import CausalSelfAttention, GPTConfig


class FeedForward(nn.Module):
    """Linear, ReLU, Linear."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.fc1 = nn.Linear(config.d_model, config.d_ff)
        self.fc2 = nn.Linear(config.d_ff, config.d_model)

    def forward(self, x: Tensor) -> Tensor:
        x = self.fc1(x)
        x = F.relu_(x)
        return self.fc2(x)


class Block(nn.Module):
    """Pre-norm transformer block."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.ln1 = nn.LayerNorm(config.d_model)
        self.attn = CausalSelfAttention(config)
        self.ln2 = nn.LayerNorm(config.d_model)
        self.ffn = FeedForward(config)

    def forward(self, h: Tensor) -> Tensor:
        h = h + self.attn(self.ln1(h))
        return h + self.ffn(self.ln2(h))
