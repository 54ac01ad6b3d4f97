"""In-place methods and functions -> their out-of-place form, by the op table."""

from __future__ import annotations

from functools import cache
from itertools import takewhile

from inplace_guard import ops
from inplace_guard.ops import Overload

__all__ = ["function_twin", "method_twin", "writes_itself"]

# `x.bernoulli_(p)` fills x, whatever it holds; `x.bernoulli()` draws with x as probabilities.
_OTHER_MEANING = {"bernoulli"}


@cache
def method_twin(name: str) -> str:
    """`add` for `add_`: same arguments, same values, same dtype. Empty if there is none (`copy_`, `zero_`, `lt_`)."""
    twin = name[:-1]
    if not name.endswith("_") or name.endswith("__") or twin in _OTHER_MEANING:
        return ""
    return twin if _agree(ops.method(name), ops.method(twin)) else ""


@cache
def function_twin(dotted: str, positional: int = 0, keywords: frozenset[str | None] = frozenset()) -> str:
    """`torch.nn.functional.relu` for `torch.nn.functional.relu_`, called with so many positional arguments and these
    keywords. Empty if there is none."""
    twin = dotted[:-1]
    if not dotted.endswith("_") or dotted.endswith("__"):
        return ""
    own, other = ops.lookup(dotted), ops.lookup(twin)
    if _agree(own, other):
        return twin
    if own is None or other is None or len(own.overloads) != 1 or len(other.overloads) != 1:
        return ""
    # `F.elu_` takes more than `F.elu`, mostly not given
    pairs = zip(_shape(own.overloads[0]), _shape(other.overloads[0]), strict=False)
    shared = [name for name, _ in takewhile(lambda pair: pair[0] == pair[1], pairs)]
    fits = bool(shared) and positional <= len(shared) and keywords <= set(shared)
    return twin if fits and _one_tensor(other.overloads[0]) else ""


def writes_itself(name: str) -> bool:
    """Whether the method writes the tensor that it is called on, and returns it."""
    op = ops.method(name)
    return op is not None and ops.is_write(name) and all("self" in overload.writes for overload in op.overloads)


def _agree(inplace: ops.Op | None, twin: ops.Op | None) -> bool:
    if inplace is None or twin is None or any(not _one_tensor(overload) for overload in twin.overloads):
        return False
    shapes = [_shape(overload) for overload in twin.overloads]
    if "inplace" in shapes[0]:  # `F.relu(input, inplace=False)` beside `F.relu_(input)`
        shapes = [[name for name in shape if name != "inplace"] for shape in shapes]
    return all(_shape(overload) in shapes for overload in inplace.overloads)


def _one_tensor(overload: Overload) -> bool:
    results = overload.results
    return len(results) == 1 and results[0].tensor and not results[0].sequence and not results[0].dtype


def _shape(overload: Overload) -> list[str]:
    return [parameter.name for parameter in overload.params]
