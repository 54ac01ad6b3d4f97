"""What a recorder remembers: the calls that made graph nodes, and the writes. Both are bounded."""

from __future__ import annotations

import weakref
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Any

import torch

from inplace_guard.runtime.capture import FILES, Place, Stack
from inplace_guard.runtime.memory import Region

__all__ = ["Call", "Content", "Journal", "ModuleRef", "Step", "Write"]

ModuleRef = weakref.ref[torch.nn.Module]
Content = tuple[Region, int] | None  # a piece of memory and its checksum
# sequence number after the call, that before it, writes before it, after it, code, instruction, module, function
Entry = tuple[int, int, int, int, CodeType, int, ModuleRef | None, Any]
_WIDTH = 8

_METADATA = {"unsqueeze_", "squeeze_", "t_", "transpose_", "swapaxes_", "swapdims_", "detach_", "requires_grad_"}
_MOST_CALLS = 65_536
_MOST_WRITES = 50_000


@dataclass(frozen=True, slots=True)
class Call:
    """A call that made nodes. `func` None: the call itself was not noted, and `place` is the next one that was."""

    place: Place
    module: ModuleRef | None
    func: Any
    writes_before: int
    writes_after: int


@dataclass(slots=True, eq=False)
class Write:
    """One tensor written in place.

    `order` counts the writes of this recorder. `stack` goes outwards from the call. `version` is that after the write.
    """

    order: int
    seq: int
    func: Any
    stack: Stack
    module: ModuleRef | None
    region: Region | None
    version: int | None
    required_grad: bool = False  # before the write
    unversioned: bool = False  # the counter did not move although the data may have
    optimizer: str | None = None  # written by the step of this optimizer
    rebinds: weakref.ref[torch.Tensor] | None = None  # not a write to memory: this tensor was given other memory
    content_before: Content = None  # of the tensor, if its memory is one that is written past autograd
    hidden: bool = False  # torch did not see it; the contents changed
    until: Place | None = None  # hidden, and the line is not known: by then it had happened
    handed: Place | None = None  # where the memory was handed to whoever wrote
    recomputing: bool = False  # made while a checkpointed segment ran again

    @property
    def frames(self) -> tuple[Place, ...]:
        return tuple(Place(code, lasti) for code, lasti in self.stack)

    @property
    def changes_values(self) -> bool:
        """False for what changes shape, strides or history alone. (PyTorch counts a version for most of these, too.)"""
        return getattr(self.func, "__name__", "") not in _METADATA

    @property
    def place(self) -> Place:
        """The innermost frame that is neither torch's nor ours."""
        for code, lasti in self.stack:
            if not FILES[code.co_filename]:
                return Place(code, lasti)
        return Place(*self.stack[-1])


@dataclass(slots=True, eq=False)
class Step:
    """All parameters written by one optimizer step; told apart into `Write`s only when somebody asks."""

    order: int
    seq: int
    optimizer: str
    stack: Stack
    regions: tuple[Region | None, ...]
    before: list[int | None]
    after: list[int | None]
    told: list[Write] | None = None

    def writes(self) -> list[Write]:
        if self.told is None:
            self.told = [
                Write(
                    self.order + index,
                    self.seq,
                    None,
                    self.stack,
                    None,
                    region,
                    after,
                    required_grad=True,
                    unversioned=before is not None and before == after,
                    optimizer=self.optimizer,
                )
                for index, (region, before, after) in enumerate(zip(self.regions, self.before, self.after, strict=True))
            ]
        return self.told


class Journal:
    """`count` is the number of writes so far. Not `numbered`: nodes cannot be told apart by sequence numbers.

    `calls` holds the fields of all entries in one row: a container for each would be looked at by every run of the
    garbage collector.
    """

    def __init__(self, *, numbered: bool = True) -> None:
        self.numbered = numbered
        self.calls: list[Any] = []
        self.count = 0
        self.began = 0  # the count when the guard that is active now was entered
        self.dropped_calls = False
        self._writes: list[Write | Step] = []

    def insert_call(self, position: int, entry: Entry) -> None:
        """`position` is what `len(calls)` was when the call began."""
        self.calls[position:position] = entry

    def call_of(self, sequence_nr: int) -> Call | None:
        """The call that made the node with this number."""
        calls = self.calls
        at = _WIDTH * bisect_right(range(0, len(calls), _WIDTH), sequence_nr, key=calls.__getitem__)
        if at == len(calls) or (at == 0 and self.dropped_calls):
            return None
        _, start, before, after, code, lasti, module, func = calls[at : at + _WIDTH]
        if sequence_nr < start:  # made before the recorder was there, or by a call that it does not see
            return Call(Place(code, lasti), None, None, 0, before) if at else None
        return Call(Place(code, lasti), module, func, before, after)

    def add_write(self, write: Write) -> None:
        self._writes.append(write)
        self.count += 1
        if len(self._writes) > _MOST_WRITES:
            del self._writes[: len(self._writes) // 2]

    def add_step(self, step: Step) -> None:
        self._writes.append(step)
        self.count += len(step.regions)

    def trim_calls(self) -> None:
        """Forget the older half of the calls once there are too many."""
        if len(self.calls) > _MOST_CALLS * _WIDTH:
            del self.calls[: len(self.calls) // (2 * _WIDTH) * _WIDTH]
            self.dropped_calls = True

    def writes_since(self, order: int) -> Iterator[Write]:
        index = max(bisect_right(self._writes, order, key=_order) - 1, 0)
        for entry in self._writes[index:]:
            if isinstance(entry, Step):
                yield from (write for write in entry.writes() if write.order >= order)
            elif entry.order >= order:
                yield entry

    def write_at(self, order: int) -> Write | None:
        return next((write for write in self.writes_since(order) if write.order == order), None)


def _order(entry: Write | Step) -> int:
    return entry.order
