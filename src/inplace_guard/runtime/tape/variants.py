"""The in-place form of a call, by the op table: does it exist, which operand can it write, does it give the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch

from inplace_guard.ops import table
from inplace_guard.runtime import opkinds
from inplace_guard.runtime.overlapping import meets_itself

__all__ = ["Variant", "variants"]

_HOMES = ("torch.Tensor", "torch", "torch.nn.functional")


@dataclass(frozen=True, slots=True)
class Variant:
    """`position`: the operand that is written. `run` makes the call in place."""

    name: str
    position: int
    run: Callable[[tuple[Any, ...], dict[str, Any]], Any]


def variants(func: Any, args: tuple[Any, ...], result: Any) -> list[Variant]:
    """The in-place forms of a call that has been made, whose written operand has the shape and kind of the result."""
    if not isinstance(result, torch.Tensor):
        return []
    kind = _kind_of(func)
    if isinstance(kind, opkinds.InplaceFlag):
        return [_with_flag(func, kind)] if args and _fits(args[0], result) else []
    if kind is None:
        return []
    name, method = kind
    found = [Variant(f"{name}_", 0, lambda a, k: method(*a, **k))] if args and _fits(args[0], result) else []
    if len(args) == 2 and _fits(args[1], result) and isinstance(args[0], torch.Tensor) and _commutes(func):
        found.append(Variant(f"{name}_", 1, lambda a, k: method(a[1], a[0], **k)))
    return found


def _fits(operand: Any, result: torch.Tensor) -> bool:
    return (
        isinstance(operand, torch.Tensor)
        and operand.shape == result.shape
        and operand.dtype == result.dtype
        and operand.device == result.device
        and operand.layout == torch.strided
        and not (operand.is_leaf and operand.requires_grad)
        and not meets_itself(operand)
    )


def _with_flag(func: Any, flag: opkinds.InplaceFlag) -> Variant:
    def run(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if len(args) > flag.position:
            return func(*args[: flag.position], True, *args[flag.position + 1 :], **kwargs)
        return func(*args, **{**kwargs, "inplace": True})

    return Variant(f"{func.__name__}(inplace=True)", 0, run)


@cache
def _kind_of(func: Any) -> opkinds.InplaceFlag | tuple[str, Any] | None:
    """The flag `inplace` of a function, or the name of an op that makes something new and its in-place method."""
    kind = opkinds.classify(func)
    if isinstance(kind, opkinds.InplaceFlag):
        return kind
    name = getattr(func, "__name__", "")
    if kind in (opkinds.WRITER, opkinds.LIST_WRITER) or not name or name.startswith("__"):
        return None
    inplace = table.method(f"{name}_")
    if inplace is None or not all(_writes_self(overload) for overload in inplace.overloads):
        return None
    plain = next((op for home in _HOMES if (op := table.lookup(f"{home}.{name}")) is not None), None)
    if plain is None or any(result.relation != "new" for overload in plain.overloads for result in overload.results):
        return None
    method = getattr(torch.Tensor, f"{name}_", None)
    return (name, method) if method is not None else None


def _writes_self(overload: Any) -> bool:
    return bool(overload.params) and overload.params[0].name in overload.writes


@cache
def _commutes(func: Any) -> bool:
    """Tried on numbers: whether the operands may change places without a bit of difference."""
    generator = torch.Generator().manual_seed(0)
    one, other = torch.randn(2, 64, generator=generator)
    try:
        return bool(torch.equal(func(one, other), func(other, one)))
    except (RuntimeError, TypeError):
        return False
