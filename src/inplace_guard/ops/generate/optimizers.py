"""Facts of every torch.optim class: whether a step moves the version counter of the parameters."""

from __future__ import annotations

import contextlib
import inspect
from typing import Any

import torch

from inplace_guard.ops.codec import encode_optimizer
from inplace_guard.ops.model import OptimizerFacts


def table() -> dict[str, str]:
    """Text of the facts of each class, by its dotted name."""
    found = {}
    for name in sorted(dir(torch.optim)):
        cls = getattr(torch.optim, name)
        if isinstance(cls, type) and issubclass(cls, torch.optim.Optimizer) and cls is not torch.optim.Optimizer:
            found[f"torch.optim.{name}"] = encode_optimizer(_facts(name, cls))
    return found


def _facts(name: str, cls: type[torch.optim.Optimizer]) -> OptimizerFacts:
    fused = "fused" in inspect.signature(cls.__init__).parameters
    return OptimizerFacts(
        name,
        versioned=_moves_version(cls),
        fused=fused,
        fused_versioned=_moves_version(cls, fused=True) if fused else True,
    )


def _moves_version(cls: Any, **options: Any) -> bool:
    parameter = torch.nn.Parameter(torch.ones(2, 2))
    before = parameter.detach().clone()
    optimizer = cls([parameter], lr=0.1, **options)
    sparse = cls is torch.optim.SparseAdam
    gradient = torch.ones(2, 2)
    parameter.grad = gradient.to_sparse() if sparse else gradient
    version = parameter._version

    def closure() -> float:
        return 1.0

    with contextlib.suppress(TypeError):
        optimizer.step(closure)
    if torch.equal(parameter.detach(), before):
        raise RuntimeError(f"{cls.__name__}.step() did not change its parameter")
    return parameter._version != version
