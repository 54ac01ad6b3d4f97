"""The break on the tape by hand: one pre-norm residual block, in place and not, with the version counter and without.

The block is one of the mini-GPT's with one matrix in the place of attention: `h + norm1(h) @ mix`, then
`h + gelu(norm2(h) @ up) @ down`, and a norm and a head behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigpt_fixture import handtape
from minigpt_fixture.handtape import Array, Tensor, add, cross_entropy, gelu, layer_norm, matmul

__all__ = ["Result", "differing", "run", "torch_step"]

SHAPES = {
    "emb": (8, 16),
    "ln1.weight": (16,),
    "ln1.bias": (16,),
    "mix": (16, 16),
    "ln2.weight": (16,),
    "ln2.bias": (16,),
    "up": (16, 32),
    "down": (32, 16),
    "ln_f.weight": (16,),
    "ln_f.bias": (16,),
    "head": (16, 10),
}
TARGETS = [3, 1, 4, 1, 5, 9, 2, 6]


@dataclass(frozen=True)
class Result:
    """Loss and gradients, or the error of backward."""

    loss: float
    gradients: Mapping[str, Array]
    error: str | None


def weights() -> dict[str, Array]:
    random = np.random.default_rng(0)
    return {name: random.standard_normal(shape) / 4 + name.startswith("ln") for name, shape in SHAPES.items()}


def run(*, in_place: bool = False, check_versions: bool = True) -> Result:
    """One forward and backward on the tape by hand."""
    w = {name: Tensor(value) for name, value in weights().items()}

    def norm(h: Tensor, name: str) -> Tensor:
        return layer_norm(h, w[f"{name}.weight"], w[f"{name}.bias"])

    residual = Tensor.add_ if in_place else add
    h = add(w["emb"], Tensor(np.zeros(16)))
    h = residual(h, matmul(norm(h, "ln1"), w["mix"]))
    h = residual(h, matmul(gelu(matmul(norm(h, "ln2"), w["up"])), w["down"]))
    loss = cross_entropy(matmul(norm(h, "ln_f"), w["head"]), TARGETS)
    before, handtape.check_versions = handtape.check_versions, check_versions
    try:
        error = _error_of(loss.backward)
    finally:
        handtape.check_versions = before
    return Result(float(loss.data), {name: np.asarray(t.grad) for name, t in w.items()}, error)


def torch_step(*, in_place: bool = False) -> Result:
    """The same block with the same weights in PyTorch, in double precision."""
    import torch
    import torch.nn.functional as F

    w = {name: torch.tensor(value, requires_grad=True) for name, value in weights().items()}

    def norm(h: torch.Tensor, name: str) -> torch.Tensor:
        return F.layer_norm(h, (16,), w[f"{name}.weight"], w[f"{name}.bias"])

    residual: Any = torch.Tensor.add_ if in_place else torch.add
    h = w["emb"] + torch.zeros(16, dtype=torch.double)
    h = residual(h, norm(h, "ln1") @ w["mix"])  # noqa: IPG101 (on purpose)
    h = residual(h, F.gelu(norm(h, "ln2") @ w["up"]) @ w["down"])  # noqa: IPG101 (on purpose)
    loss = F.cross_entropy(norm(h, "ln_f") @ w["head"], torch.tensor(TARGETS))
    error = _error_of(loss.backward)
    return Result(loss.item(), {name: t.grad.numpy() for name, t in w.items() if t.grad is not None}, error)


def differing(a: Result, b: Result) -> list[str]:
    """The names of the gradients that are not the same."""
    return [name for name, grad in a.gradients.items() if not np.allclose(grad, b.gradients[name], 1e-9, 1e-12)]


def _error_of(backward: Callable[[], object]) -> str | None:
    try:
        backward()
    except RuntimeError as error:
        return str(error)
    return None
