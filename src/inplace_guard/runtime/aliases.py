"""Two names for one piece of memory: a snapshot that is none, noticed when it is compared or collected.

These are guesses from what a program does with its own tensors, so they are reported as likely and never raise.
"""

from __future__ import annotations

import gc
import sys
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

import torch

from inplace_guard.runtime.capture import FILES, Place, here, is_library, site
from inplace_guard.runtime.careful import careful
from inplace_guard.runtime.journal import Step, Write
from inplace_guard.runtime.memory import Region, is_plain, region_of, version_of
from inplace_guard.runtime.sites import short

if TYPE_CHECKING:
    from inplace_guard.runtime.recorder import Recorder

__all__ = ["Aliases"]

_FINDS_NAN = {"eq", "ne"}
_SELF_BLENDS = {"lerp_", "add_"}
_MOST = 4096
_MOST_LOOKS = 40


@dataclass(slots=True)
class _Read:
    """Who has read a gradient from its parameter, and whether at a second place."""

    tensor: weakref.ref[torch.Tensor]
    by_user: bool
    first: tuple[CodeType, int]
    again: bool = False


class Aliases:
    """`found(write, reason)`: the write made a kept alias lose the value that it was kept for."""

    def __init__(self, recorder: Recorder, found: Callable[[Write, str], None]) -> None:
        self._recorder = recorder
        self._found = found
        self._taken: OrderedDict[int, tuple[weakref.ref[torch.Tensor], int, Place | None]] = OrderedDict()
        self._read: OrderedDict[int, _Read] = OrderedDict()
        self._bound: OrderedDict[int, tuple[weakref.ref[torch.Tensor], Region]] = OrderedDict()
        self._detached: OrderedDict[int, tuple[weakref.ref[torch.Tensor], Write]] = OrderedDict()
        self._zeroed: dict[int, Write] = {}  # gradients of two parameters, zeroed through one of them
        self._usual: dict[tuple[CodeType, int], int] = {}
        self._looks = 0
        recorder.handlers["difference"] = self._difference
        recorder.handlers["collect"] = self._collect
        recorder.handlers["grad_get"] = self._grad_get

    @careful
    def took(self, tensor: torch.Tensor, frame: FrameType, source: torch.Tensor) -> None:
        """An alias of a leaf was taken (`p.detach()`, `p.data`): from now on a write to it changes both. An alias of an
        alias (`p.detach().requires_grad_()`, detached again) is as old as that.
        """
        first = self._taken.get(id(source))
        if first is not None and first[0]() is source:
            _remember(self._taken, id(tensor), (weakref.ref(tensor), first[1], first[2]))
        else:
            _remember(self._taken, id(tensor), (weakref.ref(tensor), self._recorder.journal.count, here(frame)))

    def _tell(self, write: Write, reason: str, tensors: Sequence[Any], frame: FrameType | None, verb: str) -> None:
        """With the line that took the alias, if it is known, and the one that shows what was meant by it."""
        words = [reason]
        for tensor in tensors:
            entry = self._taken.get(id(tensor))
            if entry is not None and entry[0]() is tensor and entry[2] is not None:
                words.append(f"the alias was taken at {short(site(entry[2]))}: {site(entry[2]).source}")
        place = here(frame)
        if place is not None:
            words.append(f"it is {verb} at {short(site(place))}: {site(place).source}")
        self._found(write, "\n".join(words))

    def _difference(
        self, recorder: Recorder, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, frame: FrameType
    ) -> Any:
        if len(args) >= 2 and isinstance(args[0], torch.Tensor) and isinstance(args[1], torch.Tensor):
            # `x != x` is how not-a-number is found
            itself = args[0] is args[1] and getattr(func, "__name__", "") in _FINDS_NAN
            if not itself:
                self._compare(args[0], args[1], frame)
        return recorder.plain(func, args, kwargs, frame)

    @careful
    def _compare(self, one: torch.Tensor, other: torch.Tensor, frame: FrameType) -> None:
        if not self._recorder.journal.count or not is_plain(one) or not is_plain(other):
            return
        known = [taken for tensor in (one, other) if (taken := self._taken_at(tensor)) is not None]
        of_parameter = isinstance(one, torch.nn.Parameter) or isinstance(other, torch.nn.Parameter)
        if one is not other and not known and not of_parameter:
            return
        region = region_of(one)
        if region is None or region != region_of(other):
            return
        if one is other or not known:
            writes = self._writes_to(one, region)
        else:  # the alias has held the memory since it was taken
            writes = [
                w for w in self._recorder.journal.writes_since(min(known)) if w.region and w.region.base == region.base
            ]
        if writes and (one is not other or _is_blend(writes[0])):
            self._tell(writes[0], "difference", (one, other), frame, "compared")

    def _taken_at(self, tensor: torch.Tensor) -> int | None:
        entry = self._taken.get(id(tensor))
        return entry[1] if entry is not None and entry[0]() is tensor else None

    @careful
    def restored(self, target: torch.Tensor, source: Any, write: Write, frame: FrameType) -> None:
        """`target.copy_(source)` where both are the same memory: what was kept to go back to was never kept."""
        if not is_plain(source) or write.region is None or region_of(source) != write.region:
            return
        since = self._taken_at(source)
        if since is None:
            return
        for earlier in self._recorder.journal.writes_since(since):
            if earlier is not write and earlier.region == write.region:
                self._tell(earlier, "restored", (source,), frame, "copied back")
                return

    @careful
    def rebound(self, tensor: torch.Tensor, value: torch.Tensor) -> None:
        """`tensor.data = value`: from now on both stand on one memory, if `value` is another parameter's."""
        if isinstance(tensor, torch.nn.Parameter):
            region = region_of(value)
            if region is not None and self._taken_at(value) is not None:
                _remember(self._bound, region.base, (weakref.ref(tensor), region))

    @careful
    def stepped(self, step: Step, parameters: Sequence[Any]) -> None:
        """An optimizer wrote these parameters: do two of them, or one outside, share the memory?"""
        seen: dict[Region, int] = {}
        for index, region in enumerate(step.regions):
            if region is None:
                continue
            if region in seen and parameters[seen[region]] is not parameters[index]:
                self._found(step.writes()[index], "shared")
                return
            seen[region] = index
            bound = self._bound.get(region.base)
            if bound is not None and bound[1] == region:
                tied = bound[0]()
                if tied is not None and all(tied is not parameter for parameter in parameters):
                    self._found(step.writes()[index], "tied")
                    del self._bound[region.base]
                    return

    def _collect(
        self, recorder: Recorder, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, frame: FrameType
    ) -> Any:
        parts = args[0] if args else (kwargs or {}).get("tensors")
        if isinstance(parts, (tuple, list)) and len(parts) > 1 and recorder.journal.count:
            self._repeated_parts(parts, frame)
            self._detached_parts(parts)
        return recorder.plain(func, args, kwargs, frame)

    @careful
    def detached(self, tensor: torch.Tensor, write: Write) -> None:
        """`tensor.detach_()`: it lost its history for all who hold it."""
        _remember(self._detached, id(tensor), (weakref.ref(tensor), write))

    @careful
    def _detached_parts(self, parts: Sequence[Any]) -> None:
        """Of tensors that are put together, one has lost the history that others still have."""
        if not self._detached or not any(isinstance(part, torch.Tensor) and part.requires_grad for part in parts):
            return
        for part in parts:
            entry = self._detached.get(id(part))
            if entry is not None and entry[0]() is part and isinstance(part, torch.Tensor) and not part.requires_grad:
                self._found(entry[1], "detached")
                return

    @careful
    def _repeated_parts(self, parts: Sequence[Any], frame: FrameType) -> None:
        regions = [region_of(part) if is_plain(part) else None for part in parts]
        for part, region in zip(parts, regions, strict=True):
            times = regions.count(region)
            if region is None or times < 2:
                continue
            writes = self._writes_to(part, region)
            places: dict[Any, list[Write]] = {}
            for write in writes:
                places.setdefault(write.place, []).append(write)
            for again in places.values():
                if len(again) >= max(times - 1, 2):
                    self._tell(again[0], "collected", (), frame, "put together")
                    return

    @careful
    def blended_with_itself(self, args: tuple[Any, ...], kwargs: dict[str, Any], write: Write) -> None:
        """`t.lerp_(t, w)`, `t.mul_(m).add_(t, alpha=1 - m)`: an average with itself; two tensors were meant."""
        func = write.func
        name = getattr(func, "__name__", "")
        if name not in _SELF_BLENDS or len(args) < 2 or not isinstance(args[1], torch.Tensor):
            return
        if name == "add_" and kwargs.get("alpha", 1) == 1:
            return
        region = region_of(args[1])
        if region is None or region != write.region or not _writes_scaled_before(self._recorder, write, name):
            return
        self._found(write, "blend")

    def _grad_get(
        self, recorder: Recorder, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, frame: FrameType
    ) -> Any:
        gradient = func(*args)
        if gradient is not None and is_plain(gradient):
            by_user = not is_library(frame.f_code.co_filename)
            place = (frame.f_code, frame.f_lineno)
            known = self._read.get(id(gradient))
            if known is None or known.tensor() is not gradient:
                _remember(self._read, id(gradient), _Read(weakref.ref(gradient), by_user, place))
            else:
                known.by_user = known.by_user or by_user
                known.again = known.again or place != known.first
        return gradient

    @careful
    def scaled(
        self, tensors: Sequence[torch.Tensor], writes: Sequence[Write], args: Sequence[Any], frame: FrameType
    ) -> None:
        """Gradients were cleared or clipped in place: does somebody keep one of them, or an alias of it?"""
        for tensor, write in zip(tensors, writes, strict=True):
            entry = self._read.get(id(tensor))
            if entry is None or entry.tensor() is not tensor:
                continue
            if _has_alias(tensor):
                self._found(write, "gradient")
                return
            if write.region is not None and _of_two_parameters(tensor):
                self._zeroed[write.region.base] = write
                continue
            # Read at one place only, it is written through whatever keeps it since then.
            if entry.by_user and entry.again and self._is_kept(tensor, (tensors, args), frame):
                self._found(write, "gradient")
                return

    def _is_kept(self, tensor: torch.Tensor, written: Sequence[Any], frame: FrameType) -> bool:
        """Whether a container holds this gradient. The number of references that is usual here is learned once a line,
        for looking at who holds them goes through all objects.
        """
        key = (frame.f_code, frame.f_lasti)
        count = sys.getrefcount(tensor)
        usual = self._usual.get(key)
        if (usual is not None and count <= usual) or self._looks >= _MOST_LOOKS:
            return False
        self._looks += 1
        kept = _kept_in_container(tensor, written, frame)
        if not kept:
            self._usual[key] = count
        return kept

    def accumulated(self) -> None:
        """A backward has run: the gradients are new."""
        self._zeroed.clear()

    @careful
    def steps_with(self, parameters: Sequence[Any]) -> None:
        """An optimizer is about to use these parameters' gradients."""
        if self._zeroed:
            for parameter in parameters:
                region = region_of(parameter.grad)
                if region is not None and region.base in self._zeroed:
                    self._found(self._zeroed.pop(region.base), "gradient")
                    return

    def _writes_to(self, tensor: torch.Tensor, region: Region) -> list[Write]:
        """Newest first, as far back as the versions count down from that of the tensor.

        Memory is used again and again; older writes to the same addresses were to other tensors.
        """
        found: list[Write] = []
        version = version_of(tensor)
        limit = version + 1 if version is not None else 0
        journal = self._recorder.journal
        for write in reversed(list(journal.writes_since(journal.began))):
            if write.region is None or write.region.base != region.base or not write.changes_values:
                continue
            if write.hidden:
                found.append(write)
                continue
            if write.version is None:
                continue
            if write.version >= limit or (limit == (version or 0) + 1 and write.version != version):
                break
            found.append(write)
            limit = write.version
        return found


def _of_two_parameters(gradient: torch.Tensor) -> bool:
    use_count = getattr(gradient, "_use_count", None)
    return use_count is not None and use_count() > 2


def _has_alias(gradient: torch.Tensor) -> bool:
    """Whether a second tensor stands on the memory of this gradient, which has it for itself (no bucket of many)."""
    storage_count = getattr(torch._C, "_storage_Use_Count", None)
    if storage_count is None:
        return False
    storage = gradient.untyped_storage()
    whole = storage.nbytes() == gradient.numel() * gradient.element_size()
    return bool(whole and storage_count(storage._cdata) > 2)


def _kept_in_container(tensor: torch.Tensor, written: Sequence[Any], frame: FrameType | None) -> bool:
    """A list or dict other than those that the calls in progress are made of."""
    passing = set(_nested(written, 3))
    while frame is not None and FILES[frame.f_code.co_filename]:
        local = frame.f_locals
        passing.add(id(local))
        for value in local.values():
            passing.update(_nested(value, 3))
        frame = frame.f_back
    return any(
        type(holder) in (list, dict) and id(holder) not in passing and "__builtins__" not in holder
        for holder in gc.get_referrers(tensor)
        if not _is_frame_dict(holder, tensor)
    )


def _nested(value: Any, depth: int) -> Iterator[int]:
    yield id(value)
    if depth and isinstance(value, dict):
        for entry in value.values():
            yield from _nested(entry, depth - 1)
    elif depth and isinstance(value, (list, tuple)) and len(value) < 100:
        for entry in value:
            if isinstance(entry, (list, tuple, dict)):
                yield from _nested(entry, depth - 1)


def _is_frame_dict(holder: Any, tensor: torch.Tensor) -> bool:
    """The variables of a function that runs: a name for the gradient there is no snapshot of it."""
    return type(holder) is dict and any(type(referrer).__name__ == "frame" for referrer in gc.get_referrers(holder))


def _is_blend(write: Write) -> bool:
    return getattr(write.func, "__name__", "") not in ("zero_", "fill_", "copy_")


def _writes_scaled_before(recorder: Recorder, write: Write, name: str) -> bool:
    """Whether the write just before was the `mul_` of a running average on the same memory."""
    if name == "lerp_":
        return True
    before = recorder.journal.write_at(write.order - 1)
    return (
        before is not None
        and getattr(before.func, "__name__", "") in ("mul_", "__imul__")
        and before.region == write.region
        and before.place.code is write.place.code
    )


def _remember(store: OrderedDict[int, Any], key: int, value: Any) -> None:
    store[key] = value
    store.move_to_end(key)
    if len(store) > _MOST:
        store.popitem(last=False)
