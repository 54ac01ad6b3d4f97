"""`F.relu_` on the input of a Linear, which Linear has saved."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn

from minigpt_fixture.model import CausalSelfAttention, GPTConfig


class FeedForward(nn.Module):
    """Linear, GELU, Linear, with a rectified shortcut around them."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.fc1 = nn.Linear(config.d_model, config.d_ff)
        self.fc2 = nn.Linear(config.d_ff, config.d_model)

    def forward(self, x: Tensor) -> Tensor:
        y = self.fc2(F.gelu(self.fc1(x)))
        return y + F.relu_(x)


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
