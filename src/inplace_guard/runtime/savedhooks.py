"""Saved-tensor hooks, the user's own and checkpoint's: under them PyTorch compares no versions."""

from __future__ import annotations

import sys
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.utils import checkpoint

from inplace_guard.runtime import active
from inplace_guard.runtime.alerts import SEGMENTS
from inplace_guard.runtime.bypass import Bypass
from inplace_guard.runtime.careful import careful
from inplace_guard.runtime.compat import quiet
from inplace_guard.runtime.exports import tensors_in
from inplace_guard.runtime.journal import Write
from inplace_guard.runtime.memory import Region, base_of, overlap, region_of
from inplace_guard.runtime.patches import Patch
from inplace_guard.runtime.silent import regions_in

if TYPE_CHECKING:
    from inplace_guard.runtime.recorder import Recorder

__all__ = ["HookedHit", "SavedHooks", "Segment", "patches"]

_MOST_PACKED = 20_000
# what they write does not depend on what was there, so a second run writes the same
_OVERWRITING = {"copy_", "fill_", "zero_", "__setitem__", "normal_", "uniform_", "bernoulli_", "random_", "resize_"}
_MOST_SEGMENTS = 256


@dataclass(slots=True)
class Packed:
    """`copied`: by allow_mutation_on_saved_tensors, before a write through a tensor that starts where this one does."""

    regions: tuple[Region, ...]
    order: int
    copied: bool = False


@dataclass(slots=True)
class Read:
    region: Region
    order: int
    sequence: int = 0


@dataclass(slots=True, eq=False)
class Segment:
    """One checkpointed call: what it read from outside, what it saved, and when. Holds no tensor."""

    start: int
    start_order: int
    end: int = 0
    end_order: int = 0
    reads: dict[int, list[Read]] = field(default_factory=dict)
    made: set[int] = field(default_factory=set)
    saved: dict[int, list[Read]] = field(default_factory=dict)
    last_save: int = -1


@dataclass(slots=True)
class HookedHit:
    """`segment` None: what a pack hook returned was written. Else memory that a checkpointed segment reads again."""

    sequence: int
    write: Write
    segment: Segment | None = None
    inside: bool = False


def patches() -> list[Patch]:
    return [Patch(saved_tensors_hooks, "__enter__", _wrap_enter), Patch(saved_tensors_hooks, "__exit__", _wrap_exit)]


def _wrap_enter(original: Any) -> Any:
    def __enter__(self: Any) -> Any:
        session = active.current()
        if session is None or torch.compiler.is_compiling():
            return original(self)
        return session.parts.hooks.enter(self, original)

    return __enter__


def _wrap_exit(original: Any) -> Any:
    def __exit__(self: Any, *args: object) -> Any:
        result = original(self, *args)
        session = active.current()
        if session is not None and not torch.compiler.is_compiling():
            session.parts.hooks.exit(self)
        return result

    return __exit__


class SavedHooks:
    def __init__(self, recorder: Recorder, bypass: Bypass) -> None:
        self._recorder = recorder
        self._bypass = bypass
        self._packed: OrderedDict[int, list[Packed]] = OrderedDict()
        self._bases: set[int] = set()
        self._open: list[Segment] = []
        self._segments: deque[Segment] = deque(maxlen=_MOST_SEGMENTS)
        self.in_recompute = 0

    def enter(self, hooks: Any, original: Any) -> Any:
        kind = type(hooks)
        if kind.__module__ == "torch.utils.checkpoint":
            if kind.__name__ == "_recomputation_hook":
                self.in_recompute += 1
                return original(hooks)
            if kind.__name__ == "_checkpoint_hook":
                self.begin_segment()
        pack = hooks.pack_hook
        copied = (kind.__module__, kind.__name__) == ("torch.autograd.graph", "_swap_with_cloned")

        def watched(tensor: torch.Tensor) -> Any:
            before = holders_of(tensor)
            with self._recorder.listening():
                packed = pack(tensor)
            with quiet():
                self.note_packed(tensor, packed, kept=copied or holders_of(tensor) > before, copied=copied)
            return packed

        hooks.pack_hook = watched
        try:
            return original(hooks)
        finally:
            hooks.pack_hook = pack

    def exit(self, hooks: Any) -> None:
        kind = type(hooks)
        if kind.__module__ == "torch.utils.checkpoint":
            if kind.__name__ == "_recomputation_hook":
                self.in_recompute = max(self.in_recompute - 1, 0)
            elif kind.__name__ == "_checkpoint_hook":
                self.end_segment()

    @careful
    def begin_segment(self) -> None:
        if self._recorder.engine_depth:
            return
        self._open.append(Segment(self._recorder.sequence_nr(), self._recorder.journal.count))
        self._recorder.alert |= SEGMENTS

    @careful
    def end_segment(self) -> None:
        if not self._open or self._recorder.engine_depth:
            return
        segment = self._open.pop()
        segment.end, segment.end_order = self._recorder.sequence_nr(), self._recorder.journal.count
        self._segments.append(segment)
        if not self._open:
            self._recorder.alert &= ~SEGMENTS

    @careful
    def note_packed(self, tensor: torch.Tensor, packed: Any, *, kept: bool = False, copied: bool = False) -> None:
        """`kept`: after the pack hook, more hold this tensor or its memory than before; `packed` may be just a key."""
        # a result that an in-place call saves is packed before that call's own write is counted
        order = self._recorder.journal.count + self._recorder.writing
        if self._open:
            region = region_of(tensor)
            if region is not None and region.base not in self._recorder.unread:
                self._open[-1].saved.setdefault(region.base, []).append(
                    Read(region, order, self._recorder.sequence_nr())
                )
                self._open[-1].last_save = order
            return
        regions = tuple(region for _, region in regions_in(packed))
        if not regions and kept and (region := region_of(tensor)) is not None:
            regions = (region,)
        if regions:
            sequence = self._recorder.sequence_nr() - 1
            self._packed.setdefault(sequence, []).append(Packed(regions, order, copied))
            self._bases.update(region.base for region in regions)
            if len(self._packed) > _MOST_PACKED:
                self._packed.popitem(last=False)

    def ran_before(self, frame: FrameType | None) -> bool:
        """Whether what runs in a backward now is a checkpointed segment, for the second time."""
        if self.in_recompute:
            return True
        while frame is not None:
            if frame.f_code.co_name == "backward" and frame.f_code.co_filename == checkpoint.__file__:
                return True
            frame = frame.f_back
        return False

    @careful
    def reads(self, values: Iterable[Any]) -> None:
        """A call inside a checkpointed segment takes these."""
        order = self._recorder.journal.count
        values = list(values)
        for segment in self._open:
            for tensor in tensors_in(values):
                region = region_of(tensor)
                if region is not None and region.base not in segment.made and region.base not in self._recorder.unread:
                    reads = segment.reads.setdefault(region.base, [])
                    if not any(read.region == region for read in reads):
                        reads.append(Read(region, order))

    @careful
    def makes(self, args: Iterable[Any], result: Any) -> None:
        """A call inside a checkpointed segment gave this; what stands on memory of an argument is not new."""
        given = {base_of(tensor) for tensor in tensors_in(args)}
        for segment in self._open:
            for tensor in tensors_in(result if isinstance(result, (tuple, list)) else (result,)):
                base = base_of(tensor)
                if base and base not in given:
                    segment.made.add(base)
                    segment.reads.pop(base, None)  # what stood there was freed
                    if base in segment.saved:
                        started = self._recorder.started
                        segment.saved[base] = [read for read in segment.saved[base] if read.sequence > started]

    def __bool__(self) -> bool:
        return bool(self._packed or self._segments or self._open)

    def watches(self, bases: AbstractSet[int]) -> bool:
        return not bases.isdisjoint(self._bases) or any(
            not bases.isdisjoint(segment.reads) for segment in (*self._segments, *self._open)
        )

    @careful
    def note(self, writes: list[Write]) -> None:
        """After writes: does a packed tensor or a segment rest on that memory?"""
        for write in writes:
            if write.region is None:
                continue
            base = write.region.base
            if any(base not in segment.made for segment in self._open):  # it may be read later in the segment
                self._bypass.pending = True
            if base in self._bases or any(
                base in segment.reads or base in segment.made for segment in (*self._segments, *self._open)
            ):
                self._bypass.pending = True

    def keeps(self, sequence: int) -> bool:
        return sequence in self._packed

    def examine(self, sequence: int) -> Iterator[HookedHit]:
        """What was written after the node with this number saved it under a hook."""
        journal = self._recorder.journal
        for packed in self._packed.get(sequence, ()):
            for write in journal.writes_since(packed.order):
                if write.region is not None and _hits(write, packed.regions):
                    if not packed.copied or write.hidden or write.region.start != packed.regions[0].start:
                        yield HookedHit(sequence, write)
                    break

    @property
    def has_segments(self) -> bool:
        return bool(self._segments)

    def segment_of(self, sequence: int) -> Segment | None:
        for segment in reversed(self._segments):
            if segment.start <= sequence < segment.end:
                return segment
        return None

    def segment_reading(self, base: int) -> Segment | None:
        """The last checkpointed segment that read this memory from outside."""
        return next((segment for segment in reversed(self._segments) if base in segment.reads), None)

    def examine_segment(self, segment: Segment, sequence: int) -> Iterator[HookedHit]:
        journal = self._recorder.journal
        for write in journal.writes_since(segment.start_order):
            if write.region is None or write.recomputing or not write.changes_values:
                continue
            inside = write.order < segment.end_order
            updates = inside and getattr(write.func, "__name__", "") not in _OVERWRITING
            for read in segment.reads.get(write.region.base, ()):
                if (write.order >= read.order or updates) and overlap(write.region, read.region):
                    yield HookedHit(sequence, write, segment, inside=inside)
                    break
            else:
                if inside and self._overwrites_save(segment, write):
                    yield HookedHit(sequence, write, segment, inside=True)

    def _overwrites_save(self, segment: Segment, write: Write) -> bool:
        """A save of the segment is overwritten inside it, and another one follows: the recomputation gets that far."""
        assert write.region is not None
        return segment.last_save > write.order and any(
            read.order <= write.order and overlap(write.region, read.region)
            for read in segment.saved.get(write.region.base, ())
        )


def holders_of(tensor: Any) -> int:
    """How many hold this tensor object, or another tensor on its memory."""
    storage_count = getattr(torch._C, "_storage_Use_Count", None)
    with quiet():
        try:
            memory = storage_count(tensor.untyped_storage()._cdata) if storage_count is not None else 0
        except (RuntimeError, NotImplementedError):
            memory = 0
    return sys.getrefcount(tensor) + int(memory)


def _hits(write: Write, regions: tuple[Region, ...]) -> bool:
    return (
        write.region is not None and write.changes_values and any(overlap(write.region, region) for region in regions)
    )
