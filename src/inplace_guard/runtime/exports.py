"""Memory handed to somebody that torch does not watch: NumPy, DLPack, raw storages and pointers.

Its contents are compared at each later call that touches it, when the alias dies, and before a backward. While a small
alias is alive in the user's own code, the lines that run are watched too (`linewatch`), so the culprit is known.
"""

from __future__ import annotations

import functools
import sys
import weakref
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch
import torch.utils.dlpack

from inplace_guard.runtime import active
from inplace_guard.runtime.alerts import EXPORTS
from inplace_guard.runtime.capture import Place, here, is_library
from inplace_guard.runtime.careful import careful
from inplace_guard.runtime.checksum import LIMIT, checksum
from inplace_guard.runtime.compat import is_compiling, quiet
from inplace_guard.runtime.journal import Write
from inplace_guard.runtime.linewatch import LineWatch
from inplace_guard.runtime.memory import Region, base_of, is_foreign, is_plain, region_of
from inplace_guard.runtime.patches import Patch

if TYPE_CHECKING:
    from inplace_guard.runtime.bypass import Bypass
    from inplace_guard.runtime.recorder import Recorder

__all__ = ["Export", "Exports", "patches", "tensors_in"]

_WAYS = {
    "numpy": "numpy", "__array__": "numpy", "__dlpack__": "dlpack", "untyped_storage": "storage", "storage": "storage",
    "_typed_storage": "storage", "data_ptr": "pointer",
}  # fmt: skip
_MOST = 256
_BUDGET = 256 << 20  # bytes to look at for one export, over its life
_LINES_UP_TO = 1 << 20  # bytes; a larger alias is not watched line by line
_LINES_ANYWAY_UP_TO = 1 << 16  # bytes; nor one of this size, before it meets a graph
_ARMS = 20


def patches() -> list[Patch]:
    homes = [(torch, "from_numpy"), (torch, "frombuffer"), (torch, "from_dlpack"), (torch.utils.dlpack, "from_dlpack")]
    wrapped = [Patch(owner, name, _wrap_import) for owner, name in homes]
    return [*wrapped, Patch(torch.utils.dlpack, "to_dlpack", _wrap_export), Patch(torch, "to_dlpack", _wrap_export)]


def _wrap_import(original: Any) -> Any:
    @functools.wraps(original)
    def import_memory(*args: Any, **kwargs: Any) -> Any:
        result = original(*args, **kwargs)
        session = active.current()
        if session is not None and not is_compiling():
            with quiet():
                session.parts.exports.imported(result, sys._getframe(1), args[0] if args else None)
        return result

    return import_memory


def _wrap_export(original: Any) -> Any:
    @functools.wraps(original)
    def to_dlpack(tensor: Any, *args: Any, **kwargs: Any) -> Any:
        session = active.current()
        if session is not None and not is_compiling():
            with quiet():
                session.parts.exports.add(tensor, "dlpack", sys._getframe(1))
        return original(tensor, *args, **kwargs)

    return to_dlpack


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
    hot: bool = False  # its lines were watched

    @property
    def alive(self) -> bool:
        return self.storage() is not None


class Exports:
    def __init__(self, recorder: Recorder, bypass: Bypass) -> None:
        self._recorder = recorder
        self._bypass = bypass
        self._by_base: dict[int, list[Export]] = {}
        self._lines = LineWatch(self._line_passed)
        self._armed: dict[Place, int] = {}
        recorder.handlers["alias_out"] = self._alias_out
        recorder.handlers["as_tensor"] = self._as_tensor

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
        if (
            region is None
            or not is_plain(tensor)
            or tensor.device.type != "cpu"
            or torch._C._get_tracing_state() is not None
        ):
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
        in_graph = tensor.requires_grad or self._bypass.owns(region.base)
        self._watch(tensor, region, way, frame, reference, hot=in_graph)

    @careful
    def imported(self, tensor: Any, frame: FrameType, source: Any) -> None:
        """This tensor stands on memory of NumPy's, or of whoever made it, who may go on writing to it."""
        if not is_plain(tensor) or not is_foreign(tensor):
            return
        region = region_of(tensor)
        if region is None:
            return
        try:
            reference = weakref.ref(source, self._alias_died)
        except TypeError:
            reference = None
        self._watch(tensor, region, "numpy", frame, reference, hot=False)

    def _watch(
        self,
        tensor: torch.Tensor,
        region: Region,
        way: str,
        frame: FrameType,
        alias: weakref.ref[Any] | None,
        *,
        hot: bool,
    ) -> None:
        self._bypass.mark(region.base, way)
        place = here(frame)
        exports = self._by_base.get(region.base, ())
        self.observe(exports, place)
        known = next((export for export in exports if export.region == region and export.alive), None)
        if known is not None and alias is None:
            return
        storage = weakref.ref(tensor.untyped_storage())
        if storage() is None:
            return
        export = Export(way, region, storage, place, checksum(region.start, region.end), place, alias=alias)
        self._by_base.setdefault(region.base, []).append(export)
        self._recorder.alert |= EXPORTS
        if len(self._by_base) > _MOST:
            self._drop_dead()
        size = region.end - region.start
        if size <= _LINES_UP_TO and (hot or size <= _LINES_ANYWAY_UP_TO):
            self._arm(export, place, frame)

    def _arm(self, export: Export, place: Place | None, frame: FrameType) -> None:
        """Watch the lines that run next, unless the same line has asked for it often enough."""
        if place is None:
            return
        times = self._armed.get(place, 0)
        if times < _ARMS:
            self._armed[place] = times + 1
            export.hot = True
            self._lines.begin(frame, export)

    @careful
    def touch(self, values: Iterable[Any], frame: FrameType) -> None:
        """Before a call with these arguments."""
        tensors = list(tensors_in(values))
        recorded = torch.is_grad_enabled() and any(is_plain(tensor) and tensor.requires_grad for tensor in tensors)
        place: Place | None = None
        for tensor in tensors:
            exports = self._by_base.get(base_of(tensor))
            if exports is None:
                continue
            place = place or here(frame)
            self.observe(exports, place)
            for export in exports:
                if recorded and not export.hot and export.region.end - export.region.start <= _LINES_UP_TO:
                    self._arm(export, place, frame)

    def kept_over(self, bases: AbstractSet[int]) -> Export | None:
        """An array that somebody keeps, on memory that was just written as a whole."""
        for base in bases & self._by_base.keys():
            for export in self._by_base[base]:
                if export.way == "numpy" and export.alias is not None and export.alias() is not None:
                    return export
        return None

    def _as_tensor(
        self, recorder: Recorder, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, frame: FrameType
    ) -> Any:
        result = recorder.plain(func, args, kwargs, frame)
        source = args[0] if args else None
        if not isinstance(source, torch.Tensor):
            self.imported(result, frame, source)
        return result

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
            export.budget -= min(export.region.end - export.region.start, LIMIT)
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
            self._recorder.alert &= ~EXPORTS

    def _drop_dead(self) -> None:
        for base, exports in list(self._by_base.items()):
            exports[:] = [export for export in exports if export.alive and export.budget > 0]
            if not exports:
                del self._by_base[base]
        if not self._by_base:
            self._recorder.alert &= ~EXPORTS

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
