"""After a failed backward: every saved tensor that was overwritten, and the writes that did it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import torch

from inplace_guard.runtime.graphwalk import Clobber, Saved, clobber_of, saved_by, sequence_of, walk
from inplace_guard.runtime.journal import Call, Journal, Write
from inplace_guard.runtime.memory import Region, overlap, region_of

__all__ = ["Hit", "clobbered", "overlaps"]


@dataclass(slots=True)
class Hit:
    """One overwritten save. `call` is the call that saved it, `writes` those that came after, oldest first."""

    saved: Saved
    clobber: Clobber
    region: Region | None
    sequence: int | None
    call: Call | None
    writes: list[Write] = field(default_factory=list)

    @property
    def shape(self) -> tuple[int, ...] | None:
        return tuple(self.saved.value.shape) if isinstance(self.saved.value, torch.Tensor) else None


def clobbered(roots: Iterable[Any], journal: Journal) -> list[Hit]:
    """Newest node first: the engine reaches them in that order, so the first is the one that it stopped at."""
    hits = []
    for node in walk(roots):
        for saved in saved_by(node):
            clobber = clobber_of(saved)
            if clobber is not None:
                hits.append(_hit(saved, clobber, journal))
    hits.sort(key=lambda hit: -(hit.sequence or 0))
    return hits


def _hit(saved: Saved, clobber: Clobber, journal: Journal) -> Hit:
    sequence = sequence_of(saved.node)
    call = journal.call_of(sequence) if sequence is not None else None
    hit = Hit(saved, clobber, region_of(saved.value), sequence, call)
    since = call.writes_before if call is not None else 0
    hit.writes = [write for write in journal.writes_since(since) if _did_it(write, hit)]
    return hit


def _did_it(write: Write, hit: Hit) -> bool:
    expected, version = hit.clobber.expected, hit.clobber.version
    if hit.sequence is not None and write.seq < hit.sequence:
        return False
    if write.region is not None and hit.region is not None and write.region.base != hit.region.base:
        return False
    if expected is None or version is None:
        name = getattr(write.func, "__name__", "")
        return write.region is not None and hit.region is not None and name in ("detach_", "resize_", "set_")
    return write.version is not None and expected < write.version <= version


def overlaps(write: Write, hit: Hit) -> bool | None:
    """Whether the bytes that were saved changed, or only others of the same storage. None if that is not known."""
    if write.region is None or hit.region is None:
        return None
    return overlap(write.region, hit.region)
