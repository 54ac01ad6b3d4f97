"""What backward keeps alive as the model grows: in T, in the width, in the number of blocks. One forward each."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from minigpt_fixture.config import GPTConfig
from minigpt_fixture.measure import graph_nodes, kind, saved_bytes, saved_tensors
from minigpt_fixture.model import MiniGPT, loss_fn

__all__ = ["AXES", "Size", "measure_growth", "size_of"]

AXES = {
    "block_size": (8, 16, 32, 64, 128, 256, 512),
    "d_model": (32, 64, 128, 256, 512),
    "n_layers": (1, 2, 4, 8, 12),
}


@dataclass(frozen=True)
class Size:
    """Bytes of distinct storages. `scores`: what softmax saved, T x T a head, a part of `activations`."""

    activations: int
    scores: int
    parameters: int


def size_of(config: GPTConfig) -> Size:
    state = torch.get_rng_state()
    model = MiniGPT(config)
    torch.set_rng_state(state)
    tokens = torch.zeros(1, config.block_size, dtype=torch.long)
    loss = loss_fn(model(tokens), tokens)
    attention = [node for node in graph_nodes(loss) if kind(node) == "SoftmaxBackward0"]
    scores = sum(saved_tensors(node)["result"].untyped_storage().nbytes() for node in attention)
    held = saved_bytes(loss, model.parameters())
    return Size(held.distinct, scores, sum(p.nbytes for p in model.parameters()))


def measure_growth(axis: str, values: Sequence[int] | None = None) -> list[tuple[int, Size]]:
    """One field of the configuration moves, with d_ff at four times d_model; the others stay at the reference case."""
    found = []
    for value in values or AXES[axis]:
        config = dataclasses.replace(GPTConfig(), **{axis: value})
        found.append((value, size_of(dataclasses.replace(config, d_ff=4 * config.d_model))))
    return found
