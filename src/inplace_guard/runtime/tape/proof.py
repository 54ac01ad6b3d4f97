"""Run a function with some of its ops in place: is everything the same, bit for bit, and how high is the peak?"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from inplace_guard.runtime.tape.observe import loss_of
from inplace_guard.runtime.tape.storages import PeakMemory
from inplace_guard.runtime.tape.survey import Rewrite
from inplace_guard.runtime.tape.variants import Variant

__all__ = ["Chosen", "Run", "Seeds", "run"]

Chosen = Mapping[int, tuple[Any, Variant]]  # number of a call -> its function, and the in-place form


class Seeds:
    """The state of the random generators, to start each run from."""

    def __init__(self) -> None:
        self._torch = torch.get_rng_state()
        self._python = random.getstate()
        self._numpy = sys.modules["numpy"].random.get_state() if "numpy" in sys.modules else None

    def restore(self) -> None:
        torch.set_rng_state(self._torch)
        random.setstate(self._python)
        if self._numpy is not None:
            sys.modules["numpy"].random.set_state(self._numpy)


@dataclass(slots=True)
class Run:
    """`peak` and `made`: bytes alive at one time, and over all, of forward and backward; `forward_peak`: before it."""

    peak: int
    made: int
    forward_peak: int = 0
    loss: torch.Tensor | None = None
    gradients: list[torch.Tensor | None] = field(default_factory=list)
    calls: int = 0
    error: str | None = None
    strayed: bool = False

    def differs(self, other: Run) -> str | None:
        """In what the other run is not like this one; None if loss and gradients are equal bit for bit."""
        if other.error is not None:
            return f"PyTorch raised: {other.error}"
        if other.strayed or other.calls != self.calls or len(other.gradients) != len(self.gradients):
            return "the calls differ"
        if not _equal(self.loss, other.loss):
            return "the loss differs"
        if not all(_equal(one, two) for one, two in zip(self.gradients, other.gradients, strict=True)):
            return "the gradients differ"
        return None


def run(function: Callable[[], Any], chosen: Chosen, seeds: Seeds) -> Run:
    """A run that is changed may raise, which is told in `error`; an unchanged one may not."""
    seeds.restore()
    rewrite = Rewrite(chosen)
    memory = PeakMemory()
    try:
        with memory:
            with rewrite:
                loss = loss_of(function)
            forward_peak = memory.peak
            gradients = torch.autograd.grad(loss, rewrite.leaves.listed, torch.ones_like(loss), allow_unused=True)
    except Exception as error:
        if not chosen:
            raise
        return Run(0, 0, error=str(error).split("\n")[0].split(" Hint:")[0])
    return Run(
        memory.peak, memory.made, forward_peak, loss.detach(), list(gradients), rewrite.count, strayed=rewrite.strayed
    )


def _equal(one: torch.Tensor | None, two: torch.Tensor | None) -> bool:
    if one is None or two is None:
        return one is two
    if one.shape != two.shape or one.dtype != two.dtype or one.layout != two.layout:
        return False
    if one.layout != torch.strided:
        return bool(torch.equal(one.to_dense(), two.to_dense()))
    return bool(torch.equal(_bits(one), _bits(two)))


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().contiguous().reshape(-1).view(torch.uint8)
