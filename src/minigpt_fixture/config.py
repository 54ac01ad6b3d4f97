"""The shape of the reference model. Needs no torch."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GPTConfig:
    """The reference case: every number below is the one that docs/reference-case.md measures."""

    d_model: int = 64
    n_heads: int = 4
    n_layers: int = 2
    d_ff: int = 256
    vocab_size: int = 512
    block_size: int = 8
    batch_size: int = 1
