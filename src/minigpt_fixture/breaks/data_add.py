"""Both residuals are added through `.data`, where autograd does not look."""

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
        h.data.add_(self.attn(self.ln1(h)))
        h.data.add_(self.ffn(self.ln2(h)))
        return h
