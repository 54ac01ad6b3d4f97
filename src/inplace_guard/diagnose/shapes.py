"""The shapes of the weights of a module, as far as its constructor's arguments are numbers in the source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache

from inplace_guard.analysis.scope import Scope
from inplace_guard.analysis.tape import Place

__all__ = ["Shape", "agrees", "call_at", "weight_shape"]

Shape = tuple[int | None, ...]  # None: not known

_CONV = re.compile(r"(?:Lazy)?Conv(Transpose)?([123])d$")
_ARGUMENTS = (
    ("in_features", "in_channels", "num_features", "num_groups", "normalized_shape", "num_embeddings"),
    ("out_features", "out_channels", "num_channels", "embedding_dim"),
    ("kernel_size",),
)
_NORM = re.compile(r"(?:Batch|Instance|SyncBatch|Layer|RMS)Norm")


def weight_shape(call: ast.Call) -> Shape | None:
    """The shape in which backward reads the weight: that of a Linear is transposed."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    first, second, third = _numbers(call)
    if name in ("Linear", "Embedding"):
        return first, second
    if name == "GroupNorm":
        return (second,)
    if _NORM.match(name):
        return (first,)
    if (conv := _CONV.match(name)) is not None:
        kernel = (third,) * int(conv[2])
        if any(keyword.arg == "groups" for keyword in call.keywords):
            return None, None, *kernel
        return (first, second, *kernel) if conv[1] else (second, first, *kernel)
    return None


def agrees(shape: tuple[int, ...], known: Shape) -> bool | None:
    """Whether this can be the shape; None if too little is known to tell."""
    if all(size is None for size in known):
        return None
    return len(shape) == len(known) and all(b is None or a == b for a, b in zip(shape, known, strict=True))


@lru_cache(maxsize=64)
def _calls(scope: Scope) -> dict[tuple[int, int], ast.Call]:
    return {(n.lineno, n.col_offset + 1): n for n in ast.walk(scope.tree) if isinstance(n, ast.Call)}


def call_at(scope: Scope, place: Place) -> ast.Call | None:
    return _calls(place.file or scope).get((place.line, place.column))


def _numbers(call: ast.Call) -> Iterator[int | None]:
    """The first three arguments, by whatever name; None where one is not a number."""
    named = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    for index, names in enumerate(_ARGUMENTS):
        node = call.args[index] if index < len(call.args) else next((named[n] for n in names if n in named), None)
        yield node.value if isinstance(node, ast.Constant) and type(node.value) is int else None
