"""Data that is normalised anew each epoch: a line scales memory that it has scaled before and nobody refilled."""

from __future__ import annotations

import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from inplace_guard.runtime.careful import careful
from inplace_guard.runtime.checksum import LIMIT, checksum
from inplace_guard.runtime.journal import Write
from inplace_guard.runtime.memory import Region, is_plain, overlap, region_of

__all__ = ["Again"]

_SCALING = {
    "mul_", "div_", "sub_", "pow_", "multiply_", "divide_", "true_divide_", "subtract_", "sqrt_", "log_", "log1p_",
    "log2_", "exp_", "square_", "__imul__", "__itruediv__", "__isub__", "__ipow__",
}  # fmt: skip
_MOST_MEMORIES = 256
_MOST_EACH = 2048


@dataclass(slots=True)
class _Entry:
    write: Write
    tensor: weakref.ref[Any]
    scales: bool
    backwards: int
    content: int | None  # after it, where versions do not tell


@dataclass(slots=True)
class _Log:
    memory: weakref.ref[Any]
    entries: deque[_Entry] = field(default_factory=lambda: deque(maxlen=_MOST_EACH))


class Again:
    """`found(write)`: through a new view, this line scales what it scaled before an earlier backward; or it scales
    once more what a call has returned once more (`seems_new`), from a cache.

    A tensor that is scaled under its own name is a schedule or an average; a new view of the same memory that gets the
    same treatment is data that was meant to be treated once.
    """

    def __init__(self, found: Callable[[Write], None], seems_new: Callable[[Write], bool]) -> None:
        self._found = found
        self._seems_new = seems_new
        self._logs: OrderedDict[int, _Log] = OrderedDict()
        self.backwards = 0

    @careful
    def note(self, targets: Sequence[Any], writes: Sequence[Write], args: Sequence[Any]) -> None:
        for tensor, write in zip(targets, writes, strict=True):
            region = write.region
            if region is None or not write.changes_values:
                continue
            log = self._logs.get(region.base)
            scales = _scales(tensor, write, args)
            if log is None and not scales:
                continue
            if log is None or (log.memory() is None and write.content_before is None):
                log = self._logs[region.base] = _Log(weakref.ref(tensor.untyped_storage()))
                if len(self._logs) > _MOST_MEMORIES:
                    self._logs.popitem(last=False)
            elif _copies_itself(write, region, args):
                scales = True
            elif scales and self._did_before(log, tensor, write, region):
                self._found(write)
            content = None
            if write.content_before is not None and region.end - region.start <= LIMIT:
                content = checksum(region.start, region.end)
            log.entries.append(_Entry(write, weakref.ref(tensor), scales, self.backwards, content))

    def _did_before(self, log: _Log, tensor: Any, write: Write, region: Region) -> bool:
        version = write.version
        by_content = write.content_before is not None
        for entry in reversed(log.entries):
            earlier = entry.write
            assert earlier.region is not None
            if not by_content:
                if version is None or earlier.version != version - 1:  # somebody else wrote in between
                    return False
                version = earlier.version
            if not overlap(earlier.region, region):
                continue
            if not entry.scales:
                return False
            if write.content_before is not None and by_content:
                if earlier.region != region or entry.content != write.content_before[1] or not _had_effect(entry):
                    return False
                by_content, version = False, earlier.version
            if earlier.place != write.place:
                continue
            if entry.backwards < self.backwards and entry.tensor() is not tensor:
                return True
            if entry.tensor() is tensor and self._seems_new(write):
                return True
        return False


def _scales(tensor: Any, write: Write, args: Sequence[Any]) -> bool:
    """Whether this write makes values from those that were there and a few others."""
    if getattr(write.func, "__name__", "") not in _SCALING or write.required_grad or not is_plain(tensor):
        return False
    if tensor.requires_grad or not tensor.is_floating_point() or tensor.numel() < 2:
        return False
    other: Any = args[1] if len(args) > 1 else None
    return not is_plain(other) or (other.numel() < tensor.numel() and not other.requires_grad)


def _had_effect(entry: _Entry) -> bool:
    before = entry.write.content_before
    return before is not None and before[1] != entry.content


def _copies_itself(write: Write, region: Region, args: Sequence[Any]) -> bool:
    """The second half of `x[a:b] *= y`: what was computed in place is assigned to where it is."""
    return getattr(write.func, "__name__", "") == "__setitem__" and len(args) == 3 and region_of(args[2]) == region
