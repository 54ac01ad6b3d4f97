"""What the guard's journal says about the saves of a graph: which writes hit their memory, which saves they broke."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from inplace_guard.findings import Site
from inplace_guard.runtime.graphwalk import Saved
from inplace_guard.runtime.journal import Journal, Write
from inplace_guard.runtime.memory import version_of
from inplace_guard.runtime.modules import ModulePaths
from inplace_guard.runtime.postmortem import clobbered
from inplace_guard.runtime.session import Session
from inplace_guard.runtime.silent import examine
from inplace_guard.runtime.sites import write_site
from inplace_guard.runtime.tape.model import Mark
from inplace_guard.runtime.tape.trace import Trace

__all__ = ["Hazards"]

Key = tuple[Any, str, "int | None"]


class Hazards:
    """Without a session only PyTorch's own verdict is known: which saves it would refuse, not who wrote."""

    def __init__(
        self, roots: Sequence[Any], session: Session | None, paths: ModulePaths, trace: Trace | None = None
    ) -> None:
        self._trace = trace
        journal = session.recorder.journal if session is not None else Journal()
        self._paths = paths
        self._by_base: dict[int, list[Write]] = {}
        for write in journal.writes_since(0):
            if write.region is not None and write.changes_values:
                self._by_base.setdefault(write.region.base, []).append(write)
        self._broken: dict[Key, list[Write]] = {}
        for hit in clobbered(roots, journal):
            if hit.saved is not None:
                self._broken[_key(hit.saved)] = hit.writes
        if session is not None and session.parts.bypass.pending:
            for found in examine(roots, (), journal, session.parts.bypass)[0]:
                self._broken.setdefault(_key(found.saved), []).append(found.write)

    def broke(self, saved: Saved) -> bool:
        return _key(saved) in self._broken

    def marks(
        self, base: int, tensor: Any, savers: Sequence[tuple[int, Saved]], step_of: Callable[[int], int]
    ) -> tuple[Mark, ...]:
        """The writes to this memory since it belongs to the tensor, oldest first."""
        broken_by: dict[int, list[int]] = {}
        extra: dict[int, Write] = {}
        for number, saved in savers:
            for write in self._broken.get(_key(saved), ()):
                broken_by.setdefault(id(write), []).append(number)
                extra[id(write)] = write
        own = {id(write): write for write in self._own(base, version_of(tensor))}
        writes = sorted({**own, **extra}.values(), key=lambda write: write.order)
        return tuple(
            Mark(self._site(write), step_of(write.seq), tuple(broken_by.get(id(write), ()))) for write in writes
        )

    def _site(self, write: Write) -> Site:
        where = write_site(write, self._paths)
        if where.module is not None or write.optimizer or self._trace is None:
            return where
        return replace(where, module=self._trace.module_of(write.seq))

    def _own(self, base: int, version: int | None) -> list[Write]:
        """Addresses are used again: the versions tell which writes were to this tensor's memory and not to its
        predecessor's."""
        found: list[Write] = []
        limit = version or 0
        for write in reversed(self._by_base.get(base, ())):
            if write.version is None or write.unversioned:
                continue
            if write.version > limit:
                break
            found.append(write)
            limit = write.version - 1
        return found


def _key(saved: Saved) -> Key:
    return saved.node, saved.name, saved.index
