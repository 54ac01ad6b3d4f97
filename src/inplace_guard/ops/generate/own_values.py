"""Tensors and the like that our own samples share. They are the same in every run."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

_RANDOM = torch.Generator().manual_seed(0)

Sample = tuple[tuple[Any, ...], dict[str, Any]]


def s(*args: Any, **kwargs: Any) -> Sample:
    """A sample: the arguments of one call."""
    return args, kwargs


def r(*size: int) -> torch.Tensor:
    """Positive random numbers."""
    return torch.rand(*size, generator=_RANDOM) + 0.1


X, Y, V = r(3, 4), r(3, 4), r(4)
SQUARE = r(3, 3) + torch.eye(3)
SEQ, IMAGE, VOLUME = r(2, 4, 6), r(2, 4, 6, 6), r(2, 3, 4, 4, 4)
INDEX = torch.tensor([2, 0])
MASK = torch.tensor([True, False, True])
INTS = torch.tensor([[1, 2], [3, 4]])
SIGNS = torch.tensor([1.0, -1.0, 1.0])
ARRAY = np.ones((2, 3), dtype=np.float32)
SPARSE = torch.eye(3).to_sparse()
POOL = [s(IMAGE, 2), s(IMAGE, (2, 2))]
CELL = (r(2, 3), r(2, 4))


def rnn(gates: int, *, cell: bool) -> tuple[Any, ...]:
    """Weights and options of torch.lstm (4 gates), torch.gru (3), torch.rnn_tanh (1) and their cells."""
    weights = (r(4 * gates, 3), r(4 * gates, 4), r(4 * gates), r(4 * gates))
    return weights if cell else (list(weights), True, 1, 0.0, True, False, True)
