"""`frozen(...)`: any write to these tensors raises at its own line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ContextDecorator
from types import FrameType, TracebackType
from typing import Any

import torch

from inplace_guard.findings import Finding, Site
from inplace_guard.runtime import active
from inplace_guard.runtime.capture import Place, chain, here, site, target
from inplace_guard.runtime.checksum import LIMIT, checksum
from inplace_guard.runtime.compat import quiet
from inplace_guard.runtime.guard import guard
from inplace_guard.runtime.memory import Region, overlap, region_of, version_of
from inplace_guard.runtime.modules import ModulePaths
from inplace_guard.runtime.report import finding, hazard
from inplace_guard.runtime.sites import op_name, short, site_of, write_site

__all__ = ["frozen"]


class _Watched:
    __slots__ = ("name", "region", "tensor", "value", "version")

    def __init__(self, name: str, tensor: torch.Tensor) -> None:
        self.name = name
        self.tensor = tensor
        self.region: Region | None = None
        self.version: int | None = None
        self.value: int | None = None
        self.look()

    def look(self) -> None:
        self.region = region_of(self.tensor)
        self.version = version_of(self.tensor)
        self.value = None
        region = self.region
        if region is None or self.tensor.device.type != "cpu" or not region.dense:
            return
        if region.end - region.start <= LIMIT:
            self.value = checksum(region.start, region.end)

    def moved(self) -> bool:
        if self.region != region_of(self.tensor) or self.version != version_of(self.tensor):
            return True
        return self.value is not None and checksum(self.region.start, self.region.end) != self.value  # type: ignore[union-attr]


class frozen(ContextDecorator):
    """While active, a write to one of these tensors, or to a parameter or buffer of these modules, raises
    `InplaceHazardError` before it happens. A write that torch does not see (NumPy, another thread, C++) is noticed when
    the block is left, or at the next backward, with the lines between which it happened.
    """

    def __init__(self, *things: Any) -> None:
        self._things = things
        self._guard = guard()
        self._watched: list[_Watched] = []
        self._entered: Place | None = None

    def __enter__(self) -> frozen:
        named = list(_tensors(self._things))
        self._guard.__enter__()
        with quiet():
            self._watched = [_Watched(name, tensor) for name, tensor in named]
        self._entered = here(sys._getframe(1))
        parts = self._guard.memory
        assert parts is not None
        parts.recorder.before_write.append(self.before_write)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        parts = self._guard.memory
        assert parts is not None
        parts.recorder.before_write.remove(self.before_write)
        found: Finding | None = None
        if kind is None:
            with quiet():
                parts.exports.observe_all(here(sys._getframe(1)))
                found = self._changed_unseen(sys._getframe(1))
        self._watched = []
        self._guard.__exit__(kind, error, trace)
        if found is not None:
            raise hazard([found])

    def before_write(self, func: Any, targets: list[Any], frame: FrameType) -> None:
        """Raises if one of these is frozen, or shares memory with a frozen tensor. `func` may be an optimizer."""
        __tracebackhide__ = True
        for tensor in targets:
            region = region_of(tensor)
            for watched in self._watched:
                if tensor is watched.tensor or (
                    region is not None and watched.region is not None and overlap(region, watched.region)
                ):
                    place = here(frame)
                    if isinstance(func, torch.optim.Optimizer) and place is not None:
                        self._refuse(site(place, op=f"{type(func).__name__}.step"), watched, None)
                    where = site_of(chain(frame), op_name(func), active_module(frame), ModulePaths())
                    self._refuse(where, watched, target(place, func) if place is not None else None)

    def _refuse(self, where: Site, watched: _Watched, name: str | None) -> None:
        __tracebackhide__ = True
        found = finding(
            "IPG101",
            f"{where.op} at {short(where)} would write {watched.name or name or 'a tensor'}, which is frozen",
            where,
            details=[f"frozen since {short(site(self._entered))}"] if self._entered else [],
        )
        self._guard.findings.append(found)
        raise hazard([found])

    def _changed_unseen(self, frame: FrameType) -> Finding | None:
        for watched in self._watched:
            if not watched.moved():
                continue
            parts = self._guard.memory
            assert parts is not None
            for write in parts.recorder.journal.writes_since(0):
                if not write.hidden or write.region is None or watched.region is None:
                    continue
                if overlap(write.region, watched.region):
                    where = write_site(write, ModulePaths())
                    return finding("IPG202", f"{where.op} at {short(where)} changed {_named(watched)}", where)
            since, until = self._entered, here(frame)
            assert since is not None
            assert until is not None
            return finding(
                "IPG203",
                f"{_named(watched)} changed between {short(site(since))} and {short(site(until))}, by a write that the "
                "guard does not see",
                site(since, op="frozen"),
                certain=False,
            )
        return None


def _named(watched: _Watched) -> str:
    return f"the frozen {watched.name}" if watched.name else "a frozen tensor"


def _tensors(things: Any) -> Iterator[tuple[str, torch.Tensor]]:
    for thing in things:
        if isinstance(thing, torch.nn.Module):
            yield from thing.named_parameters()
            yield from thing.named_buffers()
        elif isinstance(thing, torch.Tensor):
            yield "", thing
        elif isinstance(thing, (list, tuple)):
            yield from _tensors(thing)
        elif isinstance(thing, dict):
            yield from _tensors(thing.values())
        else:
            raise TypeError(f"frozen() takes tensors and modules, not {type(thing).__name__}")


def active_module(frame: FrameType) -> Any:
    session = active.current()
    return session.recorder.module_of(frame) if session is not None else None
