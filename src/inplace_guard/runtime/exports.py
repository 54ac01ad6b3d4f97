"""Memory handed to somebody that torch does not watch: NumPy, DLPack, raw storages and pointers.

Its contents are compared at each later call that touches it, when the alias dies, and before a backward. While a small
alias is alive in the user's own code, the lines that run are watched too (`linewatch`), so the culprit is known.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch

from inplace_guard.runtime.capture import Place, here, is_library
from inplace_guard.runtime.careful import careful
from inplace_guard.runtime.checksum import checksum
from inplace_guard.runtime.compat import quiet
from inplace_guard.runtime.journal import Write
from inplace_guard.runtime.linewatch import LineWatch
from inplace_guard.runtime.memory import Region, region_of

if TYPE_CHECKING:
    from inplace_guard.runtime.bypass import Bypass
    from inplace_guard.runtime.recorder import Recorder

__all__ = ["Export", "Exports", "tensors_in"]

_WAYS = {
    "numpy": "numpy", "__array__": "numpy", "__dlpack__": "dlpack", "untyped_storage": "storage", "storage": "storage",
    "_typed_storage": "storage", "data_ptr": "pointer",
}  # fmt: skip
_MOST = 256
_BUDGET = 512 << 20  # bytes to look at for one export, over its life
_LINES_UP_TO = 1 << 20  # bytes; a larger alias is not watched line by line


@dataclass(slots=True, eq=False)
class Export:
    way: str
    region: Region
    storage: weakref.ref[Any]
    place: Place | None
    value: int
    seen: Place | None
    budget: int = _BUDGET
    alias: weakref.ref[Any] | None = None
    changes: list[Write] = field(default_factory=list)

    @property
    def alive(self) -> bool:
        return self.storage() is not None


class Exports:
    def __init__(self, recorder: Recorder, bypass: Bypass) -> None:
        self._recorder = recorder
        self._bypass = bypass
        self._by_base: dict[int, list[Export]] = {}
        self._lines = LineWatch(self._line_passed)
        recorder.handlers["alias_out"] = self._alias_out

    def __bool__(self) -> bool:
        return bool(self._by_base)

    def _alias_out(
        self, recorder: Recorder, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, frame: FrameType
    ) -> Any:
        result = recorder.plain(func, args, kwargs, frame)
        tensor = args[0] if args else None
        if isinstance(tensor, torch.Tensor):
            way = _WAYS.get(getattr(func, "__name__", ""), "storage")
            self.add(tensor, way, frame, result)
        return result

    @careful
    def add(self, tensor: torch.Tensor, way: str, frame: FrameType, alias: Any = None) -> None:
        region = region_of(tensor)
        if region is None or tensor.device.type != "cpu" or torch._C._get_tracing_state() is not None:
            return
        if way in ("storage", "pointer") and is_library(frame.f_code.co_filename):
            return
        reference: weakref.ref[Any] | None = None
        if way == "numpy":
            interface = getattr(alias, "__array_interface__", None)
            if interface is None or not region.start <= interface["data"][0] < region.end:
                return
            reference = weakref.ref(alias, self._alias_died)
        self._bypass.own(tensor, way)
        self._bypass.mark(region.base, way)
        known = [export for export in self._by_base.get(region.base, ()) if export.region == region and export.alive]
        if known and way != "numpy":
            self.observe(known, here(frame))
            return
        storage = weakref.ref(tensor.untyped_storage())
        if storage() is None:
            return
        place = here(frame)
        export = Export(way, region, storage, place, checksum(region.start, region.end), place, alias=reference)
        self._by_base.setdefault(region.base, []).append(export)
        self._recorder.alert |= 1
        if len(self._by_base) > _MOST:
            self._drop_dead()
        if region.end - region.start <= _LINES_UP_TO:
            self._lines.begin(frame, export)

    @careful
    def touch(self, values: Iterable[Any], frame: FrameType) -> None:
        """Before a call with these arguments."""
        place: Place | None = None
        for tensor in tensors_in(values):
            region = region_of(tensor)
            if region is not None and region.base in self._by_base:
                place = place or here(frame)
                self.observe(self._by_base[region.base], place)

    @careful
    def refresh(self, writes: Iterable[Write]) -> None:
        """After writes that torch saw."""
        for write in writes:
            if write.region is not None:
                for export in self._by_base.get(write.region.base, ()):
                    if export.alive:
                        export.value = checksum(export.region.start, export.region.end)

    @careful
    def observe_all(self, place: Place | None) -> None:
        for exports in list(self._by_base.values()):
            self.observe(exports, place)
        self._drop_dead()

    def observe(self, exports: Iterable[Export], place: Place | None, culprit: Place | None = None) -> None:
        for export in list(exports):
            if not export.alive or export.budget <= 0:
                continue
            export.budget -= export.region.end - export.region.start
            value = checksum(export.region.start, export.region.end)
            if value != export.value:
                export.value = value
                self._changed(export, place, culprit)
            export.seen = place or export.seen

    def _changed(self, export: Export, place: Place | None, culprit: Place | None) -> None:
        journal = self._recorder.journal
        since = culprit or export.seen or export.place
        assert since is not None
        write = Write(
            journal.count,
            self._recorder.sequence_nr(),
            export.way,
            (since,),
            None,
            export.region,
            None,
            unversioned=True,
            hidden=True,
            until=None if culprit is not None else place,
            handed=export.place,
        )
        journal.add_write(write)
        self._bypass.suspect(write)
        self._bypass.note_unrecorded(None, write)

    @careful
    def _line_passed(self, export: Export, place: Place) -> bool:
        """A line of the user's has run; True as long as it is worth watching."""
        if not export.alive or export.budget <= 0:
            return False
        with quiet():
            self.observe((export,), None, culprit=place)
        return export.alias is None or export.alias() is not None

    @careful
    def _alias_died(self, reference: weakref.ref[Any]) -> None:
        for base, exports in list(self._by_base.items()):
            for export in exports:
                if export.alias is reference:
                    with quiet():
                        self.observe((export,), here(sys._getframe(1)), culprit=self._lines.last_line(export))
                    self._lines.end(export)
                    exports.remove(export)
                    break
            if not exports:
                self._by_base.pop(base, None)
        if not self._by_base:
            self._recorder.alert &= ~1

    def _drop_dead(self) -> None:
        for base, exports in list(self._by_base.items()):
            exports[:] = [export for export in exports if export.alive and export.budget > 0]
            if not exports:
                del self._by_base[base]
        if not self._by_base:
            self._recorder.alert &= ~1

    @careful
    def close(self) -> None:
        self._lines.close()


def tensors_in(values: Iterable[Any]) -> Iterable[torch.Tensor]:
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (tuple, list)):
            for entry in value:
                if isinstance(entry, torch.Tensor):
                    yield entry
