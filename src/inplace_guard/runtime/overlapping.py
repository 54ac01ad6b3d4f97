"""Writes whose target meets itself: memory that several elements share, and indices that repeat."""

from __future__ import annotations

import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

import torch

from inplace_guard.runtime.capture import Place
from inplace_guard.runtime.careful import careful
from inplace_guard.runtime.journal import Write
from inplace_guard.runtime.memory import Region, is_plain, overlap, region_of

if TYPE_CHECKING:
    from inplace_guard.runtime.recorder import Recorder

__all__ = ["Overlapping", "differs_from_copy", "meets_itself", "separate_copy"]

_CHECK_UP_TO = 1 << 20
_MOST_PIECES = 512
_HARMLESS = {"fill_", "zero_"}
_PLACED = {
    "index_copy_": ("dim", "index", "source"),
    "scatter_": ("dim", "index", "src"),
    "index_put_": ("indices", "values", "accumulate"),
    "put_": ("index", "source", "accumulate"),
}


# what `x[index]` gave: the result, the index, by whom, and after how many writes
_Got = tuple[weakref.ref[torch.Tensor], Any, CodeType, int, int]


class Overlapping:
    """`found(kind, write)` is told of what happened: "expanded", "repeated" or "swapped"."""

    def __init__(self, recorder: Recorder, found: Callable[[str, Write], None]) -> None:
        self._recorder = recorder
        self._found = found
        self._got: deque[_Got] = deque(maxlen=4)
        self._pieces: OrderedDict[int, tuple[weakref.ref[torch.Tensor], Region]] = OrderedDict()
        recorder.handlers["getitem"] = self._getitem
        recorder.handlers["setitem"] = self._setitem
        recorder.handlers["placed"] = self._place
        recorder.handlers["pieces"] = self._take_pieces

    def _getitem(
        self, recorder: Recorder, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, frame: FrameType
    ) -> Any:
        result = recorder.plain(func, args, kwargs, frame)
        if len(args) == 2 and isinstance(result, torch.Tensor):
            self._got.append((weakref.ref(result), args[1], frame.f_code, frame.f_lasti, recorder.journal.count))
            if meets_itself(args[0]):
                self._remember_pieces(args[0], (result,))
        return result

    def _take_pieces(
        self, recorder: Recorder, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, frame: FrameType
    ) -> Any:
        result = recorder.plain(func, args, kwargs, frame)
        if args and meets_itself(args[0]):
            self._remember_pieces(args[0], result if isinstance(result, (tuple, list)) else (result,))
        return result

    @careful
    def _remember_pieces(self, source: torch.Tensor, pieces: Iterable[Any]) -> None:
        whole = region_of(source)
        for piece in pieces:
            region = region_of(piece)
            if whole is not None and region is not None and region.base == whole.base:
                self._pieces[id(piece)] = (weakref.ref(piece), whole)
                if len(self._pieces) > _MOST_PIECES:
                    self._pieces.popitem(last=False)

    def __bool__(self) -> bool:
        """Whether pieces of overlapping memory are known."""
        return bool(self._pieces)

    @careful
    def note(self, tensors: Iterable[Any], writes: Iterable[Write]) -> None:
        """A row of an expanded tensor, or one of its overlapping windows, was written: others changed with it."""
        for tensor, write in zip(tensors, writes, strict=True):
            entry = self._pieces.get(id(tensor))
            if entry is None or entry[0]() is not tensor or write.region is None:
                continue
            if _reaches_others(write.region, entry[1]):
                self._found("expanded", write)

    def _setitem(
        self, recorder: Recorder, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, frame: FrameType
    ) -> Any:
        if len(args) != 3:
            return recorder.plain(func, args, kwargs, frame)
        target, index, value = args
        count = recorder.journal.count
        swapped = self._read_before_it_was_written(target, value, frame)
        result = recorder.call(func, args, kwargs, (target,), frame, _picked(target, index))
        write = recorder.journal.write_at(count) if recorder.journal.count > count else None
        if write is None:
            return result
        if swapped:
            self._found("swapped", write)
        indices = _integer_indices(index)
        if indices and (self._is_augmented(index, value, frame) or _recorded_rows(value)) and _repeats(indices):
            self._found("repeated", write)
        return result

    def _place(
        self, recorder: Recorder, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, frame: FrameType
    ) -> Any:
        """`x.index_copy_(dim, index, source)` and its like: of the values for one place only the last stays."""
        count = recorder.journal.count
        result = recorder.call(func, args, kwargs, args[:1], frame)
        given = {**dict(zip(_PLACED[func.__name__], args[1:], strict=False)), **(kwargs or {})}
        if (
            _recorded_rows(given.get("source", given.get("src", given.get("values"))))
            and not given.get("accumulate")
            and given.get("reduce") is None
            and _places_repeat(func.__name__, given.get("dim", 0), given.get("index", given.get("indices")))
            and (write := recorder.journal.write_at(count)) is not None
        ):
            self._found("repeated", write)
        return result

    def _is_augmented(self, index: Any, value: Any, frame: FrameType) -> bool:
        """Whether this is the second half of `x[index] += y`: what `x[index]` gave on this line, written since."""
        for result, by, code, lasti, order in reversed(self._got):
            if result() is value:
                same = by is index and self._recorder.journal.count > order
                return same and _same_line(Place(code, lasti), frame)
        return False

    def _read_before_it_was_written(self, target: Any, value: Any, frame: FrameType) -> bool:
        """Whether this is the second half of `x[i], x[j] = x[j], x[i]`: the value is a view that was overwritten."""
        if not is_plain(value) or not is_plain(target):
            return False
        for result, _, code, lasti, order in reversed(self._got):
            if result() is not value:
                continue
            if not _same_line(Place(code, lasti), frame):
                return False
            region = region_of(value)
            return any(
                getattr(write.func, "__name__", "") == "__setitem__"
                and write.region is not None
                and region is not None
                and overlap(write.region, region)
                for write in self._recorder.journal.writes_since(order)
            )
        return False


def _same_line(place: Place, frame: FrameType) -> bool:
    return place.code is frame.f_code and place.line == frame.f_lineno


def _reaches_others(written: Region, whole: Region) -> bool:
    """Whether an element of the whole that lies outside of the written piece shares memory with it."""
    distinct = {written.start + offset * written.itemsize for offset in _offsets(written)}
    touching = sum(whole.start + offset * whole.itemsize in distinct for offset in _offsets(whole))
    return touching > written.numel


def _offsets(region: Region) -> list[int]:
    if region.numel > _CHECK_UP_TO:
        return []
    offsets = [0]
    for size, step in zip(region.shape, region.stride, strict=True):
        offsets = [offset + position * step for offset in offsets for position in range(size)]
    return offsets


def _picked(target: Any, index: Any) -> Region | None:
    """The memory of `target[index]` where that is a view, so that a write to one row is not taken for one to all."""
    parts = index if isinstance(index, tuple) else (index,)
    if not is_plain(target) or not all(part is None or part is ... or type(part) in (int, slice) for part in parts):
        return None
    try:
        return region_of(target.detach()[index])
    except (IndexError, RuntimeError, TypeError):
        return None


def _integer_indices(index: Any) -> list[torch.Tensor]:
    """The index tensors that pick elements one by one (masks cannot repeat)."""
    parts = index if isinstance(index, tuple) else (index,)
    found = []
    for part in parts:
        if isinstance(part, list) and part and all(type(entry) is int for entry in part):
            found.append(torch.tensor(part))
        elif is_plain(part) and part.dim() and part.dtype not in (torch.bool, torch.uint8):
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


def _places_repeat(name: str, dim: Any, index: Any) -> bool:
    if name != "scatter_":
        indices = _integer_indices(index if name == "index_put_" else (index,))
        return bool(indices) and _repeats(indices)
    if not is_plain(index) or index.device.type != "cpu" or not index.dim() or index.numel() > _CHECK_UP_TO:
        return False
    ordered = index.sort(dim).values
    return bool((ordered.diff(dim=dim) == 0).any())


def _recorded_rows(value: Any) -> bool:
    """Whether rows with a history are written, so that a gradient flows to those that are overwritten, too."""
    return is_plain(value) and value.requires_grad and value.numel() > 1 and torch.is_grad_enabled()


def meets_itself(tensor: Any) -> bool:
    """Whether two elements of this tensor share memory."""
    if not is_plain(tensor) or tensor.layout is not torch.strided:
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
            return bool(not torch.equal(copy, written.detach()))
        except (RuntimeError, NotImplementedError, TypeError):
            return False
