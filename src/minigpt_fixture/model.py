"""The mini-GPT and its control block: pre-norm, every residual out of place."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from minigpt_fixture.config import GPTConfig

__all__ = ["Block", "CausalSelfAttention", "FeedForward", "GPTConfig", "MiniGPT", "causal_mask", "loss_fn"]


def causal_mask(size: int) -> Tensor:
    """0 where a position may look, -inf above the diagonal."""
    return torch.full((size, size), float("-inf")).triu(diagonal=1)


class CausalSelfAttention(nn.Module):
    """Multi-head attention, written out: every step of it is a node of the tape."""

    mask: Tensor

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.n_heads = config.n_heads
        self.q = nn.Linear(config.d_model, config.d_model)
        self.k = nn.Linear(config.d_model, config.d_model)
        self.v = nn.Linear(config.d_model, config.d_model)
        self.out = nn.Linear(config.d_model, config.d_model)
        self.register_buffer("mask", causal_mask(config.block_size), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.shape
        q = self.q(x).view(B, T, self.n_heads, C // self.n_heads).transpose(1, 2)
        k = self.k(x).view(B, T, self.n_heads, C // self.n_heads).transpose(1, 2)
        v = self.v(x).view(B, T, self.n_heads, C // self.n_heads).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(C // self.n_heads)
        scores = scores + self.mask[:T, :T]
        weights = F.softmax(scores, dim=-1)
        y = (weights @ v).transpose(1, 2).reshape(B, T, C)
        return self.out(y)


class FeedForward(nn.Module):
    """Linear, GELU, Linear."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.fc1 = nn.Linear(config.d_model, config.d_ff)
        self.fc2 = nn.Linear(config.d_ff, config.d_model)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(F.gelu(self.fc1(x)))


class Block(nn.Module):
    """The control: both residuals make a new tensor."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.ln1 = nn.LayerNorm(config.d_model)
        self.attn = CausalSelfAttention(config)
        self.ln2 = nn.LayerNorm(config.d_model)
        self.ffn = FeedForward(config)

    def forward(self, h: Tensor) -> Tensor:
        h = h + self.attn(self.ln1(h))
        return h + self.ffn(self.ln2(h))


class MiniGPT(nn.Module):
    """Token and position embeddings, the blocks, a final LayerNorm, and an LM head of its own (not tied)."""

    def __init__(self, config: GPTConfig | None = None, block: type[nn.Module] = Block) -> None:
        super().__init__()
        config = config or GPTConfig()
        self.config = config
        self.tok_emb = nn.Embedding(config.vocab_size, config.d_model)
        self.pos_emb = nn.Embedding(config.block_size, config.d_model)
        self.blocks = nn.ModuleList([block(config) for _ in range(config.n_layers)])
        self.ln_f = nn.LayerNorm(config.d_model)
        self.head = nn.Linear(config.d_model, config.vocab_size)

    def forward(self, tokens: Tensor) -> Tensor:
        _, T = tokens.shape
        positions = torch.arange(T, device=tokens.device)
        h = self.tok_emb(tokens) + self.pos_emb(positions)
        for block in self.blocks:
            h = block(h)
        return self.head(self.ln_f(h))


def loss_fn(logits: Tensor, targets: Tensor) -> Tensor:
    """Cross-entropy over all positions: logits (B, T, V) against targets (B, T)."""
    return F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))
