"""Writes that go past autograd although torch sees them: `.data`, under no_grad, ops that do not bump the version.

A tensor whose history goes on after such a write passes gradients as if the write had never been; a tensor saved
before it holds the new values unnoticed.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch

from inplace_guard.runtime import active
from inplace_guard.runtime.careful import careful
from inplace_guard.runtime.checksum import LIMIT, checksum
from inplace_guard.runtime.compat import quiet
from inplace_guard.runtime.journal import Content, Write
from inplace_guard.runtime.memory import Region, is_foreign, is_plain, node_of, overlap, region_of
from inplace_guard.runtime.patches import Patch
from inplace_guard.runtime.suspects import Suspects

if TYPE_CHECKING:
    from inplace_guard.runtime.recorder import Recorder

__all__ = ["Bypass", "Owner", "Unrecorded", "masks_out", "owners_of", "patches"]

_MOST = 4096
_EQUAL_UP_TO = 1 << 22
_MASKED = -1e4  # softmax turns what is filled with this or less into zero, and its gradient too


def patches() -> list[Patch]:
    keeper = getattr(torch.autograd, "_unsafe_preserve_version_counter", None)
    return (
        [Patch(keeper, name, wrap) for name, wrap in (("__enter__", _wrap_enter), ("__exit__", _wrap_exit))]
        if keeper
        else []
    )


def _wrap_enter(original: Any) -> Any:
    def __enter__(self: Any) -> Any:
        session = active.current()
        if session is not None:
            with quiet():
                session.parts.bypass.keeping(self.tensors)
        return original(self)

    return __enter__


def _wrap_exit(original: Any) -> Any:
    def __exit__(self: Any, *args: Any) -> Any:
        result = original(self, *args)
        session = active.current()
        if session is not None:
            with quiet():
                session.parts.bypass.kept()
        return result

    return __exit__


@dataclass(frozen=True, slots=True)
class Owner:
    """A tensor in the middle of a graph: output `output` of the node with this sequence number."""

    sequence: int
    output: int
    region: Region


@dataclass(frozen=True, slots=True)
class Unrecorded:
    """A write to the memory of `owner` that left no trace in its history."""

    owner: Owner
    write: Write
    way: str  # "data", "detach", "no_grad", "numpy", "dlpack", "storage", "function"
    source_has_history: bool


class Bypass:
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._owners: OrderedDict[int, list[tuple[Owner, str]]] = OrderedDict()
        self.marked: OrderedDict[int, str] = OrderedDict()
        self.unrecorded: OrderedDict[tuple[int, int], list[Unrecorded]] = OrderedDict()  # by node and output
        self.suspects = Suspects()
        self.pending = False
        self._keeping: list[tuple[int, list[tuple[Region, int | None]]]] = []
        self.on_leaf_data: Callable[[torch.Tensor, FrameType, torch.Tensor], None] = lambda alias, frame, leaf: None
        self.on_number_data: Callable[[torch.Tensor, FrameType], None] = lambda alias, frame: None
        self.on_filled: Callable[[torch.Tensor, Write, list[Any]], None] = lambda tensor, write, sources: None
        self.on_rebound: Callable[[torch.Tensor, torch.Tensor], None] = lambda tensor, value: None
        recorder.handlers["data_get"] = self._data_get
        recorder.handlers["data_set"] = self._data_set
        recorder.handlers["sparse"] = self._sparse
        recorder.handlers["kron"] = self._kron
        recorder.contents_before = self._contents_before

    @careful
    def mark(self, base: int, way: str) -> None:
        """Writes to this memory may come through a tensor with a version counter of its own."""
        self.marked[base] = way
        self.marked.move_to_end(base)
        if len(self.marked) > _MOST:
            self.marked.popitem(last=False)

    @careful
    def own(self, tensor: torch.Tensor, way: str) -> None:
        """Remember whose history a write through an alias of this tensor would miss."""
        region = region_of(tensor)
        if region is None:
            return
        for owner in owners_of(tensor, region):
            entries = self._owners.setdefault(region.base, [])
            entries.append((owner, way))
            del entries[:-16]
            self._owners.move_to_end(region.base)
        if len(self._owners) > _MOST:
            self._owners.popitem(last=False)

    def owns(self, base: int) -> bool:
        """Whether an alias of a tensor in a graph was taken from this memory."""
        return base in self._owners

    def watches(self, bases: AbstractSet[int]) -> bool:
        return not bases.isdisjoint(self.marked)

    def suspect(self, write: Write) -> None:
        base = write.region.base if write.region is not None else 0
        self.suspects.add(write, borrowed=self.marked.get(base) in ("foreign", "dlpack", "numpy"))
        self.pending = True

    def lose(self, owner: Owner, write: Write, way: str, source_has_history: bool) -> None:
        """A write that left no trace in the history of `owner`."""
        entries = self.unrecorded.setdefault((owner.sequence, owner.output), [])
        entries.append(Unrecorded(owner, write, way, source_has_history))
        del entries[:-8]
        if len(self.unrecorded) > _MOST:
            self.unrecorded.popitem(last=False)
        self.pending = True

    @careful
    def keeping(self, tensors: Iterable[Any]) -> None:
        """Writes from here on leave the versions of these as they are."""
        regions = [region for tensor in tensors if (region := region_of(tensor)) is not None]
        known = [(region, self._contents(region)) for region in regions]
        self._keeping.append((self._recorder.journal.count, known))

    @careful
    def kept(self) -> None:
        """The block has been left: whose contents differ now has been written unnoticed."""
        order, known = self._keeping.pop()
        for region, before in known:
            if before is None or self._contents(region) != before:
                for write in self._recorder.journal.writes_since(order):
                    if write.region is not None and write.region.base == region.base:
                        self.suspect(write)

    def _contents_before(self, targets: Sequence[Any]) -> list[Content] | None:
        """Before a write to memory that is written past autograd, so that it can be seen if all is put back."""
        if not self.marked:
            return None
        regions = [region_of(target) for target in targets]
        if not any(region is not None and region.base in self.marked for region in regions):
            return None
        return [
            (region, value)
            if region is not None and region.base in self.marked and (value := self._contents(region)) is not None
            else None
            for region in regions
        ]

    def _contents(self, region: Region) -> int | None:
        return checksum(region.start, region.end) if region.on_cpu and region.end - region.start <= LIMIT else None

    @careful
    def note(
        self, tensors: Sequence[torch.Tensor], writes: Sequence[Write], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        """After a call that wrote these tensors."""
        recording = torch.is_grad_enabled()
        for tensor, write in zip(tensors, writes, strict=True):
            region = write.region
            if region is None or not write.changes_values:
                continue
            if not write.required_grad and region.base not in self.marked and is_foreign(tensor):
                self.mark(region.base, "foreign")
            if write.unversioned or region.base in self.marked:
                self.suspect(write)
            if self._recorder.function_depth or self._recorder.engine_depth:
                continue
            if recording and write.required_grad:
                continue
            self.note_unrecorded(tensor, write, args, kwargs)

    @careful
    def note_unrecorded(
        self,
        tensor: torch.Tensor | None,
        write: Write,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        """A write that autograd did not record, if it hit a tensor in the middle of a graph."""
        region = write.region
        if region is None or masks_out(write, args, kwargs or {}):
            return
        own = owners_of(tensor, region) if tensor is not None and not torch.is_grad_enabled() else []
        found = [(owner, "no_grad") for owner in own]
        found += [entry for entry in self._owners.get(region.base, ()) if overlap(entry[0].region, region)]
        sources = [
            node
            for value in (*args, *(kwargs or {}).values())
            if isinstance(value, torch.Tensor) and value is not tensor and (node := node_of(value)) is not None
        ]
        for owner, way in found:
            self.lose(owner, write, way, bool(sources))
        by_data = self.marked.get(region.base) == "data"
        if sources and not found and tensor is not None and (by_data or not torch.is_grad_enabled()):
            self.on_filled(tensor, write, sources)

    def _data_get(
        self, recorder: Recorder, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, frame: FrameType
    ) -> Any:
        result = func(*args)
        tensor = args[0]
        region = region_of(tensor)
        if region is not None:
            self.mark(region.base, "data")
            if is_plain(tensor) and tensor.requires_grad:
                self.own(tensor, "data")
                if node_of(tensor) is None:
                    self.on_leaf_data(result, frame, tensor)
                elif tensor.numel() == 1:
                    self.on_number_data(result, frame)
        return result

    def _data_set(
        self, recorder: Recorder, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, frame: FrameType
    ) -> Any:
        tensor, value = args[0], args[1]
        if not is_plain(tensor) or not is_plain(value):
            return recorder.plain(func, args, kwargs, frame)
        same = _same_values(tensor, value)
        if recorder.before_write and not same:
            recorder.refuse(func, [tensor], frame)
        owners = owners_of(tensor, region_of(tensor)) if tensor.requires_grad else []
        start = recorder.sequence_nr()
        try:
            result = func(*args)
        except RuntimeError as error:
            recorder.explain(error, func, args, frame)
            raise
        self.on_rebound(tensor, value)
        if not same:
            (write,) = recorder.note_writes(func, (tensor,), ((None, tensor.requires_grad),), start, frame)
            write.rebinds = weakref.ref(tensor)
            self.suspect(write)
            for owner in owners:
                self.lose(owner, write, "data", False)
        return result

    def _kron(
        self, recorder: Recorder, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, frame: FrameType
    ) -> Any:
        """`torch.kron` saves views of its inputs that do not share their version."""
        for value in (*args, *(kwargs or {}).values()):
            region = region_of(value)
            if region is not None:
                self.mark(region.base, "kron")
        return recorder.plain(func, args, kwargs, frame)

    def _sparse(
        self, recorder: Recorder, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, frame: FrameType
    ) -> Any:
        for value in (*args, *(kwargs or {}).values()):
            region = region_of(value) if isinstance(value, torch.Tensor) else None
            if region is not None:
                self.mark(region.base, "sparse")
        return recorder.plain(func, args, kwargs, frame)


def owners_of(tensor: torch.Tensor | None, region: Region | None) -> list[Owner]:
    """The history of this tensor, and of the one that it is a view of."""
    owners: list[Owner] = []
    if not is_plain(tensor) or tensor is None or region is None:
        return owners
    base = tensor._base if tensor._is_view() else None
    for candidate in (tensor, base):
        if candidate is None or not candidate.requires_grad:
            continue
        node = node_of(candidate)
        if node is not None and hasattr(node, "_sequence_nr"):
            owners.append(Owner(node._sequence_nr(), candidate.output_nr, region))
    return owners


def masks_out(write: Write, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """A fill with minus infinity or close to it: the softmax that follows gives it no weight and no gradient."""
    name = getattr(write.func, "__name__", "")
    if name not in ("masked_fill_", "fill_", "__setitem__", "index_fill_", "masked_fill"):
        return False
    value = kwargs.get("value", args[-1] if args else None)
    if isinstance(value, torch.Tensor) and value.numel() == 1 and value.device.type == "cpu":
        value = value.item()
    return isinstance(value, (int, float)) and value <= _MASKED


def _same_values(tensor: Any, value: Any) -> bool:
    try:
        return bool(
            tensor.shape == value.shape
            and tensor.dtype == value.dtype
            and tensor.device == value.device
            and tensor.device.type == "cpu"
            and tensor.numel() <= _EQUAL_UP_TO
            and torch.equal(tensor.detach(), value.detach())
        )
    except (RuntimeError, NotImplementedError, AttributeError):
        return False
