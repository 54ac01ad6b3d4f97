"""A log of how alike the positions are scales them to unit length in NumPy, in the memory of the residual stream."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import numpy as np
from torch import Tensor, nn

from minigpt_fixture.model import CausalSelfAttention, FeedForward, GPTConfig


class Block(nn.Module):
    """Pre-norm transformer block."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.ln1 = nn.LayerNorm(config.d_model)
        self.attn = CausalSelfAttention(config)
        self.ln2 = nn.LayerNorm(config.d_model)
        self.ffn = FeedForward(config)
        self.similarity = 0.0

    def forward(self, h: Tensor) -> Tensor:
        h = h + self.attn(self.ln1(h))
        out = h + self.ffn(self.ln2(h))
        stream = h.detach().numpy()
        stream /= np.linalg.norm(stream, axis=-1, keepdims=True)
        self.similarity = float((stream @ stream.swapaxes(1, 2)).mean())
        return out
