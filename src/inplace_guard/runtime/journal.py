"""What a recorder remembers: the calls that made graph nodes, and the writes. Both are bounded."""

from __future__ import annotations

import weakref
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Any

import torch

from inplace_guard.runtime.capture import FILES, Place
from inplace_guard.runtime.memory import Region

__all__ = ["Call", "Journal", "ModuleRef", "Write"]

ModuleRef = weakref.ref[torch.nn.Module]
# (sequence number after the call, writes before it, writes after it, code, instruction, module, function)
Entry = tuple[int, int, int, CodeType, int, ModuleRef | None, Any]

_MOST_CALLS = 200_000
_MOST_WRITES = 50_000


@dataclass(frozen=True, slots=True)
class Call:
    """A call that made nodes. `func` None: the call itself went past the recorder, and `place` is the next one seen."""

    place: Place
    module: ModuleRef | None
    func: Any
    writes_before: int
    writes_after: int


@dataclass(slots=True, eq=False)
class Write:
    """One tensor written in place.

    `order` counts the writes of this recorder. `frames` go outwards from the call. `version` is that after the write.
    """

    order: int
    seq: int
    func: Any
    frames: tuple[Place, ...]
    module: ModuleRef | None
    region: Region | None
    version: int | None
    required_grad: bool = False  # before the write
    unversioned: bool = False  # the counter did not move although the data may have
    optimizer: str | None = None  # written by the step of this optimizer
    rebinds: weakref.ref[torch.Tensor] | None = None  # not a write to memory: this tensor was given other memory
    hidden: bool = False  # torch did not see it; the contents changed
    until: Place | None = None  # hidden, and the line is not known: by then it had happened
    handed: Place | None = None  # where the memory was handed to whoever wrote
    in_pack: bool = False  # made by a pack hook, before it returned
    recomputing: bool = False  # made while a checkpointed segment ran again

    @property
    def place(self) -> Place:
        """The innermost frame that is neither torch's nor ours."""
        for place in self.frames:
            if not FILES[place.code.co_filename]:
                return place
        return self.frames[-1]


class Journal:
    def __init__(self) -> None:
        self.calls: list[Entry] = []
        self.writes: list[Write] = []
        self.dropped_writes = 0
        self.dropped_calls = False

    @property
    def write_count(self) -> int:
        return self.dropped_writes + len(self.writes)

    def call_of(self, sequence_nr: int) -> Call | None:
        """The call that made the node with this number."""
        index = bisect_right(self.calls, sequence_nr, key=_number)
        if index == len(self.calls) or (index == 0 and self.dropped_calls):
            return None
        _, before, after, code, lasti, module, func = self.calls[index]
        return Call(Place(code, lasti), module, func, before, after)

    def add_write(self, write: Write) -> None:
        self.writes.append(write)
        if len(self.writes) > _MOST_WRITES:
            half = len(self.writes) // 2
            del self.writes[:half]
            self.dropped_writes += half

    def trim_calls(self) -> None:
        """Forget the older half of the calls once there are too many."""
        if len(self.calls) > _MOST_CALLS:
            del self.calls[: len(self.calls) // 2]
            self.dropped_calls = True

    def writes_since(self, order: int) -> Iterator[Write]:
        start = max(order - self.dropped_writes, 0)
        for index in range(start, len(self.writes)):
            yield self.writes[index]


def _number(entry: Entry) -> int:
    return entry[0]
