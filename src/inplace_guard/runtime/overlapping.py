"""Writes whose target meets itself: memory that several elements share, and indices that repeat."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch

from inplace_guard.runtime.capture import Place, here
from inplace_guard.runtime.journal import Write

if TYPE_CHECKING:
    from inplace_guard.runtime.recorder import Recorder

__all__ = ["Overlapping", "differs_from_copy", "meets_itself", "separate_copy"]

_CHECK_UP_TO = 1 << 20
_HARMLESS = {"fill_", "zero_"}


class Overlapping:
    """`found(kind, write)` is told of what happened: "expanded" or "repeated"."""

    def __init__(self, recorder: Recorder, found: Callable[[str, Write], None]) -> None:
        self._recorder = recorder
        self._found = found
        self._got: tuple[weakref.ref[torch.Tensor], Place | None] | None = None
        recorder.handlers["getitem"] = self._getitem
        recorder.handlers["setitem"] = self._setitem
        recorder.handlers["index_copy"] = self._index_copy

    def _getitem(
        self, recorder: Recorder, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, frame: FrameType
    ) -> Any:
        result = recorder.plain(func, args, kwargs, frame)
        if len(args) == 2 and isinstance(result, torch.Tensor) and _integer_indices(args[1]):
            self._got = (weakref.ref(result), here(frame))
        return result

    def _setitem(
        self, recorder: Recorder, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, frame: FrameType
    ) -> Any:
        if len(args) != 3:
            return recorder.plain(func, args, kwargs, frame)
        target, index, value = args
        count = recorder.journal.count
        result = recorder.call(func, args, kwargs, (target,), frame)
        indices = _integer_indices(index)
        if indices and recorder.journal.count > count:
            write = recorder.journal.write_at(count)
            if write is not None and (self._is_augmented(value, frame) or _recorded_rows(value)) and _repeats(indices):
                self._found("repeated", write)
        return result

    def _index_copy(
        self, recorder: Recorder, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, frame: FrameType
    ) -> Any:
        """`x.index_copy_(dim, index, source)`: of the rows for one index only the last stays."""
        count = recorder.journal.count
        result = recorder.call(func, args, kwargs, args[:1], frame)
        given = {**dict(zip(("dim", "index", "source"), args[1:], strict=False)), **(kwargs or {})}
        index, source = given.get("index"), given.get("source")
        if (
            isinstance(index, torch.Tensor)
            and _recorded_rows(source)
            and _repeats([index])
            and (write := recorder.journal.write_at(count)) is not None
        ):
            self._found("repeated", write)
        return result

    def _is_augmented(self, value: Any, frame: FrameType) -> bool:
        """Whether this is the second half of `x[index] += y`: the value is what `x[index]` gave on the same line."""
        if self._got is None or self._got[0]() is not value:
            return False
        place = here(frame)
        got = self._got[1]
        return place is not None and got is not None and place.code is got.code and place.line == got.line


def _integer_indices(index: Any) -> list[torch.Tensor]:
    """The index tensors that pick elements one by one (masks cannot repeat)."""
    parts = index if isinstance(index, tuple) else (index,)
    found = []
    for part in parts:
        if (
            isinstance(part, list)
            and part
            and all(isinstance(entry, int) and not isinstance(entry, bool) for entry in part)
        ):
            found.append(torch.tensor(part))
        elif isinstance(part, torch.Tensor) and part.dim() and part.dtype not in (torch.bool, torch.uint8):
            found.append(part)
    return found


def _repeats(indices: list[torch.Tensor]) -> bool:
    if any(index.device.type != "cpu" for index in indices):
        return False
    try:
        picked: Any = torch.broadcast_tensors(*indices)  # type: ignore[no-untyped-call]
        count = picked[0].numel()
        if count < 2 or count > _CHECK_UP_TO:
            return False
        rows = torch.stack([index.reshape(-1) for index in picked], dim=1)
        return bool(torch.unique(rows, dim=0).shape[0] < count)
    except (RuntimeError, NotImplementedError):
        return False


def _recorded_rows(value: Any) -> bool:
    """Whether rows with a history are written, so that a gradient flows to those that are overwritten, too."""
    return isinstance(value, torch.Tensor) and value.requires_grad and value.numel() > 1 and torch.is_grad_enabled()


def meets_itself(tensor: Any) -> bool:
    """Whether two elements of this tensor share memory."""
    if not isinstance(tensor, torch.Tensor) or tensor.layout is not torch.strided:
        return False
    try:
        if tensor.is_contiguous():
            return False
        dimensions = sorted(zip(tensor.stride(), tensor.shape, strict=True))
    except (RuntimeError, NotImplementedError):
        return False
    reach = 1
    for step, size in dimensions:
        if size == 0:
            return False
        if size == 1:
            continue
        if step < reach:
            return True
        reach = step * (size - 1) + reach
    return False


def separate_copy(tensor: torch.Tensor) -> torch.Tensor | None:
    """The same values with memory for each element; None if that would be large."""
    try:
        return tensor.detach().contiguous() if tensor.numel() <= _CHECK_UP_TO else None
    except (RuntimeError, NotImplementedError):
        return None


def differs_from_copy(
    func: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, copy: torch.Tensor, written: torch.Tensor
) -> bool:
    """Whether the same write to a copy with memory for each element gives other values."""
    if getattr(func, "__name__", "") in _HARMLESS:
        return False
    with torch.no_grad():
        try:
            func(copy, *args[1:], **(kwargs or {}))
            return not torch.equal(copy, written.detach())
        except (RuntimeError, NotImplementedError, TypeError):
            return False
