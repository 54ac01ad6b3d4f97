"""The popular repair that repairs nothing: the copy is taken before the norm reads it."""

from __future__ import annotations

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

    def forward(self, h: Tensor) -> Tensor:
        h = h.clone()
        h.add_(self.attn(self.ln1(h)))
        h = h.clone()
        h.add_(self.ffn(self.ln2(h)))
        return h
