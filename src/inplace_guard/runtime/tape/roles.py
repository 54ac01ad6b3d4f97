"""Whether what a node saved is an argument of its op or a result. PyTorch names saved arguments as the schema does."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Literal

import torch

__all__ = ["Role", "role_by_name"]

Role = Literal["input", "result"]
_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def role_by_name(node: str, saved: str) -> Role:
    """`total_weight` of NllLossBackward0 is no argument of `nll_loss`, so it is a result."""
    arguments = _arguments(re.sub(r"Backward\d*$", "", node))
    if arguments is None:
        return "result" if saved.startswith("result") else "input"
    return "input" if saved in arguments else "result"


@cache
def _arguments(op: str) -> frozenset[str] | None:
    """The names of all arguments of an op, over its signatures; None if it is not known by this name."""
    name = _WORD.sub("_", op).lower()
    find: Any = getattr(torch._C, "_jit_get_schemas_for_operator", None)
    if find is None or not name:
        return None
    for candidate in (name, f"_{name}"):
        schemas = find(f"aten::{candidate}")
        if schemas:
            return frozenset(argument.name for schema in schemas for argument in schema.arguments)
    return None
