"""Before a backward: does its graph rest on memory that was written past autograd?"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from inplace_guard.runtime.bypass import Bypass, Unrecorded
from inplace_guard.runtime.checksum import checksum
from inplace_guard.runtime.graphwalk import Saved, clobber_of, saved_by, walk
from inplace_guard.runtime.journal import Call, Journal, Write
from inplace_guard.runtime.memory import Region, overlap, region_of

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
    suspects = list(bypass.suspects)
    orders = [write.order for write in suspects]
    newest = max((write.seq for write in suspects), default=-1)
    by_owner: dict[tuple[int, int], list[Unrecorded]] = {}
    for unrecorded in bypass.unrecorded:
        by_owner.setdefault((unrecorded.owner.sequence, unrecorded.owner.output), []).append(unrecorded)
    overwritten: list[Overwritten] = []
    lost = [
        Lost(None, None, unrecorded)
        for node, output in edges
        for unrecorded in by_owner.get((node._sequence_nr(), output), ())
    ]
    for node in walk(roots):
        sequence = node._sequence_nr()
        if sequence > _ENDLESS:
            continue
        if by_owner:
            for below, output in node.next_functions:
                if below is None:
                    continue
                for unrecorded in by_owner.get((below._sequence_nr(), output), ()):
                    if sequence >= unrecorded.write.seq:
                        lost.append(Lost(node, journal.call_of(sequence), unrecorded))
        if sequence < newest:
            call = journal.call_of(sequence)
            if call is not None:
                later = suspects[bisect_left(orders, call.writes_after) :]
                if later:
                    overwritten += _overwritten(node, call, later)
    return overwritten, lost


def _overwritten(node: Any, call: Call, later: list[Write]) -> Iterator[Overwritten]:
    for saved in saved_by(node):
        if _unread(node, saved) or clobber_of(saved) is not None:
            continue
        for tensor, region in regions_in(saved.value):
            writes = [write for write in later if _hits(write, tensor, region, later)]
            if writes and not _all_put_back(writes):
                yield Overwritten(node, saved, call, writes[0])
                break


def _hits(write: Write, tensor: torch.Tensor, region: Region, later: list[Write]) -> bool:
    if write.rebinds is not None:
        return write.rebinds() is tensor
    if write.region is None or not overlap(write.region, region):
        return False
    # memory that the tensor was only given later was written before it held what was saved
    return not any(other.rebinds is not None and other.rebinds() is tensor for other in later)


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
