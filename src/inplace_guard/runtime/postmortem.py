"""After a failed backward: every saved tensor that was overwritten, and the writes that did it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from inplace_guard.runtime.graphwalk import Clobber, Saved, clobber_in, clobber_of, saved_by, sequence_of, walk
from inplace_guard.runtime.journal import Call, Journal, Write
from inplace_guard.runtime.memory import Region, overlap, region_of

__all__ = ["Hit", "clobbered", "detached", "from_text", "overlaps"]

_INSIDE = "torch::autograd::CopySlices"  # a write into a view; the node of the op itself is hidden in it


@dataclass(slots=True)
class Hit:
    """One overwritten save. `call` is the call that saved it, `writes` those that came after, oldest first.

    `saved` None: PyTorch does not show what the node holds; `node` is the one that probably saved it.
    """

    node: Any
    saved: Saved | None
    clobber: Clobber
    region: Region | None
    sequence: int | None
    call: Call | None
    writes: list[Write] = field(default_factory=list)


def clobbered(roots: Iterable[Any], journal: Journal, *, first: bool = False) -> list[Hit]:
    """Newest node first: the engine reaches them in that order, so the first is the one that it stopped at.

    `first`: any one will do.
    """
    hits = []
    for node in walk(roots):
        for saved in saved_by(node):
            clobber = clobber_of(saved)
            if clobber is not None:
                hits.append(_hit(saved, clobber, journal))
                if first:
                    return hits
    hits.sort(key=lambda hit: -(hit.sequence or 0))
    return hits


def detached(roots: Iterable[Any], journal: Journal) -> list[Hit]:
    """Saved tensors that `detach_` was called on; PyTorch notices only some of them when asked one by one."""
    hits = []
    for node in walk(roots):
        for saved in saved_by(node):
            hit = _hit(saved, Clobber(None, None, ""), journal)
            if hit.writes:
                hits.append(hit)
    hits.sort(key=lambda hit: -(hit.sequence or 0))
    return hits


def _hit(saved: Saved, clobber: Clobber, journal: Journal) -> Hit:
    sequence = sequence_of(saved.node) if journal.numbered else None
    call = journal.call_of(sequence) if sequence is not None else None
    hit = Hit(saved.node, saved, clobber, region_of(saved.value), sequence, call)
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


def seen_elsewhere(hits: Iterable[Hit], journals: Iterable[Journal]) -> None:
    """Look for writes that this thread did not see in what other guarded threads have noted."""
    others = list(journals)
    for hit in hits:
        expected, version = hit.clobber.expected, hit.clobber.version
        if hit.writes or hit.region is None or expected is None or version is None:
            continue
        hit.writes = [
            write
            for journal in others
            for write in journal.writes_since(0)
            if write.region is not None
            and write.region.base == hit.region.base
            and write.version is not None
            and expected < write.version <= version
        ]


def from_text(text: str, roots: Iterable[Any], journal: Journal) -> list[Hit]:
    """For what no node shows: the writes that took some memory from the version expected to the one found.

    The ops that write into a view hide what they saved (CopySlices), so the error's own text is all there is.
    """
    clobber = clobber_in(text)
    if clobber is None or clobber.version is None or clobber.expected is None:
        return []
    by_base: dict[int, list[Write]] = {}
    for write in journal.writes_since(0):
        if write.region is not None and write.version is not None:
            by_base.setdefault(write.region.base, []).append(write)
    best: list[Write] = []
    for writes in by_base.values():
        found = _climb(writes, clobber.expected, clobber.version)
        if found and (not best or found[-1].order > best[-1].order):
            best = found
    if not best:
        return []
    node, sequence, call = _writer_of_view(roots, best, journal)
    return [Hit(node, None, clobber, None, sequence, call, best)]


def _climb(writes: Sequence[Write], expected: int, version: int) -> list[Write]:
    """The last writes to one memory that lead up to `version`, from just above `expected`."""
    found: list[Write] = []
    limit = version + 1
    for write in reversed(writes):
        assert write.version is not None
        if write.version >= limit or (not found and write.version != version):
            break
        if write.version <= expected:
            break
        found.insert(0, write)
        limit = write.version
    return found


def _writer_of_view(
    roots: Iterable[Any], writes: Sequence[Write], journal: Journal
) -> tuple[Any, int | None, Call | None]:
    """The newest write into a view that came before the last of these writes, or was one of them."""
    best: tuple[Any, int | None, Call | None] = (None, None, None)
    for node in walk(roots):
        sequence = sequence_of(node)
        if node.name() != _INSIDE or sequence is None or (best[1] is not None and sequence <= best[1]):
            continue
        call = journal.call_of(sequence)
        if call is not None and call.func is not None and call.writes_before <= writes[0].order:
            best = (node, sequence, call)
    return best


def overlaps(write: Write, hit: Hit) -> bool | None:
    """Whether the bytes that were saved changed, or only others of the same storage. None if that is not known."""
    if write.region is None or hit.region is None:
        return None
    return overlap(write.region, hit.region)
