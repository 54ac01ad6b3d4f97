"""Losses that were cut from their graph before backward."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Iterable
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from inplace_guard.runtime.capture import Place, here
from inplace_guard.runtime.careful import careful
from inplace_guard.runtime.graphwalk import roots_of
from inplace_guard.runtime.memory import is_plain, node_of

if TYPE_CHECKING:
    from inplace_guard.runtime.aliases import Aliases
    from inplace_guard.runtime.bypass import Bypass
    from inplace_guard.runtime.recorder import Recorder
    from inplace_guard.runtime.taint import Taint

__all__ = ["Cut", "Roots"]

Cut = tuple[str, Place]  # how ("detach", "tensor", "data") and where


class _CutOff(NamedTuple):
    tensor: weakref.ref[torch.Tensor]
    how: str
    place: Place
    address: int
    memory: weakref.ref[Any]


class Roots:
    """Remembers which tensors were made by cutting another one from its history, and the last backwards."""

    def __init__(self, recorder: Recorder, bypass: Bypass, aliases: Aliases, taint: Taint) -> None:
        self._taint = taint
        self._bypass = bypass
        self._aliases = aliases
        self._cuts: deque[_CutOff] = deque(maxlen=128)
        self.backwards: deque[tuple[int, Place]] = deque(maxlen=512)
        bypass.on_number_data = lambda alias, frame: self._remember(alias, "data", frame)
        recorder.handlers["detach"] = self._detach
        recorder.handlers["detach_"] = self._detach_
        recorder.handlers["copy_construct"] = self._copy_construct

    def cut_of(self, outputs: Iterable[Any]) -> Cut | None:
        """How the first output without history was cut, if it is known."""
        for output in outputs:
            if isinstance(output, torch.Tensor) and node_of(output) is None:
                address = output.data_ptr() if is_plain(output) else 0
                for cut in reversed(self._cuts):
                    same_memory = cut.address == address != 0 and cut.memory() is not None
                    if cut.tensor() is output or same_memory:
                        return cut.how, cut.place
        return None

    @property
    def newest(self) -> int:
        """The number of the node that the last backward started from; -1 before the first."""
        return self.backwards[-1][0] if self.backwards else -1

    def freed_by(self, sequence: int | None) -> Place | None:
        """The last backward from a root as new as this node or newer."""
        for root, place in reversed(self.backwards):
            if sequence is None or root >= sequence:
                return place
        return None

    def ran(self, outputs: Iterable[Any], frame: FrameType) -> None:
        """A backward from these has freed their graphs."""
        place = here(frame)
        if place is not None:
            for node in roots_of(outputs):
                self.backwards.append((node._sequence_nr(), place))

    def _detach(
        self, recorder: Recorder, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, frame: FrameType
    ) -> Any:
        result = func(*args, **kwargs) if kwargs else func(*args)
        tensor = args[0]
        if is_plain(tensor) and isinstance(result, torch.Tensor):
            if node_of(tensor) is not None:
                self._bypass.own(tensor, "detach")
                if tensor.numel() == 1:
                    self._remember(result, "detach", frame)
            elif tensor.requires_grad:
                self._aliases.took(result, frame, tensor)
        return result

    def _detach_(
        self, recorder: Recorder, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, frame: FrameType
    ) -> Any:
        had_history = is_plain(args[0]) and node_of(args[0]) is not None
        count = recorder.journal.count
        result = recorder.call(func, args, kwargs, args[:1], frame)
        if had_history:
            if args[0].numel() == 1:
                self._remember(args[0], "detach_", frame)
            write = recorder.journal.write_at(count)
            if write is not None:
                self._aliases.detached(args[0], write)
        return result

    def _copy_construct(
        self, recorder: Recorder, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, frame: FrameType
    ) -> Any:
        result = recorder.plain(func, args, kwargs, frame)
        source = args[0] if args else (kwargs or {}).get("data")
        if (isinstance(source, torch.Tensor) and node_of(source) is not None) or (
            isinstance(source, (list, tuple))
            and any(isinstance(entry, torch.Tensor) and node_of(entry) is not None for entry in source)
        ):
            self._remember(result, "tensor", frame)
        return result

    @careful
    def _remember(self, result: Any, how: str, frame: FrameType) -> None:
        place = here(frame)
        if place is not None and isinstance(result, torch.Tensor):
            self._cuts.append(
                _CutOff(weakref.ref(result), how, place, result.data_ptr(), weakref.ref(result.untyped_storage()))
            )
            if how == "tensor":
                self._taint.add(result, place)
