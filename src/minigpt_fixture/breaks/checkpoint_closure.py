"""The checkpointed half reads its input from the enclosing function, and the residual then writes that tensor."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from minigpt_fixture.model import CausalSelfAttention, FeedForward, GPTConfig


class Block(nn.Module):
    """Pre-norm transformer block that recomputes its feed-forward half in backward."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.ln1 = nn.LayerNorm(config.d_model)
        self.attn = CausalSelfAttention(config)
        self.ln2 = nn.LayerNorm(config.d_model)
        self.ffn = FeedForward(config)

    def forward(self, h: Tensor) -> Tensor:
        h = h + self.attn(self.ln1(h))

        def feed_forward() -> Tensor:
            return self.ffn(self.ln2(h))

        h.add_(checkpoint(feed_forward, use_reentrant=False))
        return h
