"""How numbers were made, as far as it tells whether indices made of them repeat. A tensor's origin is "grid" (arange,
linspace), "computed" (from data), or "repeats": whole numbers like the cells that points fall into."""

from __future__ import annotations

from inplace_guard.analysis.values import Tensor

GRIDS = frozenset({"arange", "linspace", "meshgrid"})
ARITHMETIC = frozenset({"add", "sub", "mul", "div", "floor", "ceil", "round", "trunc", "clamp", "sigmoid"})
WHOLE_NUMBERS = frozenset({"long", "int", "short"})
REARRANGING = frozenset({"expand", "expand_as", "unsqueeze", "view", "reshape", "flatten", "squeeze"})


def arithmetic(op: str, kind: str, inputs: list[Tensor]) -> str:
    """The origin of what an op makes of these."""
    if op in GRIDS:
        return "grid"
    if op not in ARITHMETIC or not inputs:
        return ""
    origins = {t.origin for t in inputs}
    if kind == "int":
        return "repeats" if origins == {"repeats"} else ""
    return "" if kind else "grid" if origins == {"grid"} else "computed"


def whole_numbers(op: str, origin: str) -> str | None:
    """The origin of `x.long()`; None if it says nothing of that kind."""
    if op not in WHOLE_NUMBERS or origin not in ("computed", "grid"):
        return None
    return "repeats" if origin == "computed" else ""


def rearranged(op: str, origin: str) -> str:
    return origin if origin == "repeats" and op in REARRANGING else ""
