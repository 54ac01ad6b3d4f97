"""Before a backward: does its graph rest on memory that was written past autograd?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from inplace_guard.runtime.bypass import Bypass, Unrecorded
from inplace_guard.runtime.checksum import checksum
from inplace_guard.runtime.graphwalk import Saved, clobber_of, saved_by, walk
from inplace_guard.runtime.journal import Call, Journal, Write
from inplace_guard.runtime.memory import Region, region_of

__all__ = ["Lost", "Overwritten", "examine", "regions_in"]

_ENDLESS = 1 << 62  # AccumulateGrad nodes count from the other end


@dataclass(slots=True)
class Overwritten:
    """A saved tensor whose bytes changed although its version says that they did not."""

    node: Any
    saved: Saved
    call: Call | None
    write: Write


@dataclass(slots=True)
class Lost:
    """A node that takes a tensor after an unrecorded write to it."""

    consumer: Any
    call: Call | None
    unrecorded: Unrecorded


def regions_in(value: Any, depth: int = 2) -> Iterator[tuple[torch.Tensor, Region]]:
    """The memory of a tensor, of a sparse one's parts, or of the tensors in what a pack hook returned."""
    if isinstance(value, torch.Tensor):
        if value.layout is torch.strided:
            parts = [value]
        elif value.layout is torch.sparse_coo:
            parts = [value._values(), value._indices()]
        else:
            parts = [value.values()] if hasattr(value, "values") else []
        for part in parts:
            region = region_of(part)
            if region is not None:
                yield part, region
    elif depth and isinstance(value, (tuple, list)):
        for entry in value:
            yield from regions_in(entry, depth - 1)
    elif depth and isinstance(value, dict):
        for entry in value.values():
            yield from regions_in(entry, depth - 1)
    elif depth and hasattr(value, "__dict__") and not isinstance(value, type):
        for entry in vars(value).values():
            yield from regions_in(entry, depth - 1)


def examine(
    roots: Iterable[Any], edges: Iterable[tuple[Any, int]], journal: Journal, bypass: Bypass
) -> tuple[list[Overwritten], list[Lost]]:
    """`edges`: the outputs that the backward starts from, as (node, output)."""
    newest, owners = bypass.suspects.newest, bypass.unrecorded
    overwritten: list[Overwritten] = []
    lost = [
        Lost(None, None, unrecorded)
        for node, output in edges
        for unrecorded in owners.get((node._sequence_nr(), output), ())
    ]
    for node in walk(roots):
        sequence = node._sequence_nr()
        if sequence > _ENDLESS:
            continue
        if owners:
            for below, output in node.next_functions:
                if below is None:
                    continue
                for unrecorded in owners.get((below._sequence_nr(), output), ()):
                    if sequence >= unrecorded.write.seq:
                        lost.append(Lost(node, journal.call_of(sequence), unrecorded))
        if sequence < newest:
            overwritten += _overwritten(node, sequence, journal, bypass)
    return overwritten, lost


def _overwritten(node: Any, sequence: int, journal: Journal, bypass: Bypass) -> Iterator[Overwritten]:
    call: Call | None = None
    for saved in saved_by(node):
        if _unread(node, saved):
            continue
        for tensor, region in regions_in(saved.value):
            call = call or journal.call_of(sequence)
            if call is None:
                return
            writes = bypass.suspects.on(tensor, region, call.writes_after)
            if writes and clobber_of(saved) is None and not _all_put_back(writes):
                yield Overwritten(node, saved, call, writes[0])
                break


def _all_put_back(writes: list[Write]) -> bool:
    """Whether every piece that was written holds again what it held before the first of the writes to it."""
    first: dict[Region, int] = {}
    for write in writes:
        if write.content_before is None:
            return False
        region, value = write.content_before
        first.setdefault(region, value)
    return all(checksum(region.start, region.end) == value for region, value in first.items())


def _unread(node: Any, saved: Saved) -> bool:
    """Saved, but this backward does not look at it: the running statistics of a batch norm that trains."""
    if saved.name in ("running_mean", "running_var"):
        return bool(getattr(node, "_saved_training", False))
    return False
