"""Arguments to call each public callable with: those of OpInfo, and our own where OpInfo has none."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import op_db

Sample = tuple[tuple[Any, ...], dict[str, Any]]
_LIMIT = 14


def load() -> dict[str, list[Sample]]:
    """Samples by dotted name, for functions and for methods."""
    found: dict[str, list[Sample]] = {}
    for info in op_db:
        samples = _of_info(info)
        if not samples:
            continue
        for dotted in _names(info):
            found.setdefault(dotted, []).extend(samples)
    return found


def _of_info(info: Any) -> list[Sample]:
    dtype = torch.float64 if torch.float64 in info.dtypes else next(iter(info.dtypes), torch.float32)
    if torch.float32 in info.dtypes:
        dtype = torch.float32
    taken: list[Sample] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(0)
        try:
            for sample in itertools.islice(info.sample_inputs("cpu", dtype, requires_grad=False), _LIMIT):
                taken.append(((sample.input, *sample.args), sample.kwargs))
        except Exception:  # an OpInfo of an optional library: the ops keep the facts of their schema
            return taken
    return taken


def _names(info: Any) -> Iterator[str]:
    names = {info.name, *(alias.name for alias in info.aliases)}
    for name in sorted(names):
        if "." in name:
            yield f"torch.{name}"
            continue
        yield f"torch.{name}"
        yield f"torch.Tensor.{name}"
        yield f"torch.Tensor.{name}_"
        yield f"torch.{name}_"
