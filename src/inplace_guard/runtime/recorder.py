"""The function mode that sees every call: which made graph nodes, which wrote."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from types import FrameType, MethodType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from inplace_guard.runtime import opkinds
from inplace_guard.runtime.capture import FILES, chain
from inplace_guard.runtime.compat import Torch, take_off
from inplace_guard.runtime.journal import Content, Journal, ModuleRef, Write
from inplace_guard.runtime.memory import Region, region_of, state_of, version_of
from inplace_guard.runtime.overlapping import differs_from_copy, meets_itself, separate_copy

__all__ = ["AWAY", "QUIET", "Recorder"]


_MODULE_CALL = getattr(torch.nn.Module, "_wrapped_call_impl", torch.nn.Module.__call__).__code__
Args = tuple[Any, ...]
Kwargs = dict[str, Any] | None
Handler = Callable[["Recorder", Any, Args, Kwargs, FrameType], Any]


_BACKWARD = torch.autograd.backward
_is_tracing = torch._C._get_tracing_state
QUIET, AWAY = 1, 2  # why the recorder is suspended: for speed, or because dynamo or a tracer must not meet it


def _nothing(*_: Any, **__: Any) -> None:
    return None


class Recorder(TorchFunctionMode):
    """One thread's memory of its calls. Keeps no tensor alive.

    `handlers` maps the names of `opkinds.Special` to what is done with those calls. The `on_…` callables are told of
    what happens and never raise.
    """

    def __init__(self, api: Torch) -> None:
        super().__init__()
        self.api = api
        self.journal = Journal(numbered=api.sequence_nr is not None)
        self.handlers: dict[str, Handler] = {}
        self.on_error: Callable[[RuntimeError, Any, Args, FrameType, int | None], None] = _nothing
        self.on_write: Callable[[Sequence[Any], list[Write], Args, dict[str, Any], FrameType], None] = _nothing
        self.on_touch: Callable[[Args, Kwargs, Sequence[Any], FrameType], None] = _nothing
        self.contents_before: Callable[[Sequence[Any]], list[Content] | None] = _nothing
        self.on_result: Callable[[Args, Any], None] = _nothing
        self.on_expanded: Callable[[Write], None] = _nothing
        self.before_write: list[Callable[[Any, list[Any], FrameType], None]] = []  # may raise
        self.unread: set[int] = set()  # memory that the call in progress is given, and saves, but does not read
        self.every_call = False  # note those that save nothing, too; set it before the first call
        self.alert = 0
        self.function_depth = 0  # inside the forward of a custom Function
        self.backward_depth = 0  # inside the backward of one
        self.engine_depth = 0
        self.started = 0  # sequence number when the call in progress began
        self.writing = 0  # tensors that the call in progress writes
        self.sequence_nr: Callable[[], int] = api.sequence_nr or (lambda: 0)
        self.suspended = 0
        self.listens_in_backward = api.sees_modes and not api.whole_doors
        self.__torch_function__, self.note_nodes = _hot(self)  # type: ignore[method-assign]

    def note_function(self, start: int, position: int, order: int, cls: Any, frame: FrameType) -> None:
        """A custom Function has run: its own node was numbered `start`, before whatever its forward made."""
        if self.sequence_nr() == start:
            return
        place = _outside(frame)
        module = _innermost_module(frame)
        entry = (start + 1, start, order, self.journal.count, place.f_code, place.f_lasti, module, cls)
        self.journal.insert_call(position, entry)

    def note_engine(self, start: int, frame: FrameType) -> None:
        """A backward has run, and made nodes itself if it was asked to (create_graph)."""
        place = _outside(frame)
        count = self.journal.count
        entry = (self.sequence_nr(), start, count, count, place.f_code, place.f_lasti, None, _BACKWARD)
        self.journal.calls.extend(entry)

    def module_of(self, frame: FrameType) -> ModuleRef | None:
        return _innermost_module(frame)

    def explain(self, error: RuntimeError, func: Any, args: Args, frame: FrameType, since: int | None = None) -> None:
        self.on_error(error, func, args, frame, since)

    def touch_arguments(self, args: Args, frame: FrameType) -> None:
        if self.alert:
            self.on_touch(args, None, (), frame)

    def plain(self, func: Any, args: Args, kwargs: Kwargs, frame: FrameType) -> Any:
        """A call that writes nothing, from a handler."""
        __tracebackhide__ = True
        if self.alert:
            return self.call(func, args, kwargs, (), frame)
        start = self.sequence_nr()
        try:
            result = func(*args, **kwargs) if kwargs else func(*args)
        except RuntimeError as error:
            self.explain(error, func, args, frame)
            raise
        number = self.sequence_nr()
        if number != start:
            self.note_nodes(start, number, func, frame)
        return result

    def _unusual(self, kind: Any, func: Any, args: Args, kwargs: Kwargs, frame: FrameType) -> Any:
        __tracebackhide__ = True
        if _is_tracing() is not None:  # jit.trace would take our looks at a tensor into its graph
            return func(*args, **kwargs) if kwargs else func(*args)
        if type(kind) is opkinds.Special:
            handler = self.handlers.get(kind)
            if handler is not None:
                return handler(self, func, args, kwargs, frame)
            return self.call(func, args, kwargs, (), frame)
        if kind == opkinds.PLAIN or kind == opkinds.QUIET:
            out = kwargs.get("out", ()) if kwargs else ()
            return self.call(func, args, kwargs, out if isinstance(out, (tuple, list)) else (out,), frame)
        first = args[0] if args else next(iter(kwargs.values()), None) if kwargs else None
        if isinstance(kind, opkinds.InplaceFlag):
            return self.call(func, args, kwargs, (first,) if kind.on(args, kwargs) else (), frame)
        if kind == opkinds.LIST_WRITER:
            return self.call(func, args, kwargs, tuple(first) if isinstance(first, (tuple, list)) else (), frame)
        return self.call(func, args, kwargs, (first,), frame)

    def call(
        self,
        func: Any,
        args: Args,
        kwargs: Kwargs,
        written: Iterable[Any],
        frame: FrameType,
        part: Region | None = None,
    ) -> Any:
        """Make a call that writes these tensors (or none), and remember it. `part` is what it writes of the tensor."""
        __tracebackhide__ = True
        targets = [tensor for tensor in written if isinstance(tensor, torch.Tensor)]
        if targets and _is_passed_on(frame):
            return func(*args, **kwargs) if kwargs else func(*args)
        if self.before_write and targets:
            self.refuse(func, targets, frame)
        if self.alert:
            self.on_touch(args, kwargs, targets, frame)
        before = [state_of(tensor) for tensor in targets]
        contents = self.contents_before(targets)
        copy = separate_copy(targets[0]) if len(targets) == 1 and meets_itself(targets[0]) else None
        start = self.started = self.sequence_nr()
        self.writing += len(targets)
        try:
            result = func(*args, **kwargs) if kwargs else func(*args)
        except RuntimeError as error:
            self.explain(error, func, args, frame)
            raise
        finally:
            self.writing -= len(targets)
        writes: list[Write] = []
        if targets:
            writes = self.note_writes(func, targets, before, start, frame)
            if part is not None:
                writes[0].region = part
            if contents is not None:
                for write, content in zip(writes, contents, strict=True):
                    write.content_before = content
            self.noted(targets, writes, args, kwargs or {}, frame)
        number = self.sequence_nr()
        if number != start:
            self.note_nodes(start, number, func, frame, len(writes))
        if self.alert:
            self.on_result(args, result)
        if copy is not None and writes and differs_from_copy(func, args, kwargs, copy, targets[0]):
            self.on_expanded(writes[0])
        return result

    def refuse(self, func: Any, targets: list[Any], frame: FrameType) -> None:
        """Ask those who may forbid a write, before it happens."""
        __tracebackhide__ = True
        for ask in self.before_write:
            ask(func, targets, frame)

    def note_writes(
        self, func: Any, targets: Sequence[Any], before: Sequence[tuple[int | None, bool]], start: int, frame: FrameType
    ) -> list[Write]:
        frames = chain(frame)
        module = _innermost_module(frame)
        writes = []
        for tensor, (old, required) in zip(targets, before, strict=True):
            version = version_of(tensor)
            write = Write(
                self.journal.count,
                start,
                func,
                frames,
                module,
                region_of(tensor),
                version,
                required_grad=required,
                unversioned=old is not None and version == old and not _only_metadata(func),
            )
            self.journal.add_write(write)
            writes.append(write)
        return writes

    def noted(
        self, targets: Sequence[Any], writes: list[Write], args: Args, kwargs: dict[str, Any], frame: FrameType
    ) -> None:
        self.on_write(targets, writes, args, kwargs, frame)

    def start(self) -> None:
        self.__enter__()  # type: ignore[no-untyped-call]

    def stop(self) -> None:
        self.suspended = 0
        if not self.api.sees_modes:
            self.__exit__(None, None, None)  # type: ignore[no-untyped-call]
        take_off(self)

    @contextmanager
    def listening(self) -> Generator[None, None, None]:
        """See the calls of code that a call in progress calls back (a pack hook)."""
        if not self.api.sees_modes:
            yield
            return
        was_on = take_off(self)
        self.start()
        try:
            yield
        finally:
            take_off(self)
            if was_on:
                self.start()

    def suspend(self, why: int = QUIET) -> None:
        """See nothing until `resume`: code with many calls of no interest, or that must not be seen."""
        if take_off(self):
            self.suspended = why

    def resume(self) -> None:
        if self.suspended:
            self.suspended = 0
            take_off(self)
            self.start()


def _hot(self: Recorder) -> tuple[Any, Any]:
    """The code that every call of torch runs through. Closures, because their variables cost less than attributes."""
    sequence_nr = self.sequence_nr
    kinds: dict[Any, opkinds.Kind] = {}
    kind_of = kinds.get
    internal_of = FILES.get
    add_call = self.journal.calls.extend
    journal = self.journal
    getframe = sys._getframe
    reference = weakref.ref

    quiet, plain, nothing = opkinds.QUIET, opkinds.PLAIN, opkinds.PASS  # compared by identity, which is cheapest

    def torch_function(self: Recorder, func: Any, types: Any, args: Args = (), kwargs: Kwargs = None) -> Any:
        __tracebackhide__ = True
        kind = kind_of(func)
        if kind is None:
            kind = opkinds.classify(func)
            if kind == opkinds.QUIET and self.every_call:
                kind = opkinds.PLAIN
            kinds[func] = kind
        if kind is plain:
            if not self.alert and not (kwargs and "out" in kwargs):
                start = sequence_nr()
                try:
                    result = func(*args, **kwargs) if kwargs else func(*args)
                except RuntimeError as error:
                    self.explain(error, func, args, getframe(1))
                    raise
                number = sequence_nr()
                if number != start:
                    note(start, number, func, getframe(1))
                return result
        elif kind is quiet:
            if not self.alert and not (kwargs and "out" in kwargs):
                try:
                    return func(*args, **kwargs) if kwargs else func(*args)
                except RuntimeError as error:
                    self.explain(error, func, args, getframe(1))
                    raise
        elif kind is nothing:
            return func(*args, **kwargs) if kwargs else func(*args)
        return self._unusual(kind, func, args, kwargs, getframe(1))

    def note(start: int, number: int, func: Any, frame: FrameType, writes: int = 0) -> None:
        """Nodes `start` to `number` (exclusive) were made by this call."""
        module: Any = None
        code = frame.f_code
        while True:
            internal = internal_of(code.co_filename)
            if internal is None:
                internal = FILES[code.co_filename]
            if not internal:
                break
            if code is _MODULE_CALL:
                module = frame
            outer = frame.f_back
            if outer is None:
                break
            frame = outer
            code = frame.f_code
        if module is None:
            outer = frame.f_back
            if outer is not None:
                outer = outer.f_back
                if outer is not None and outer.f_code is _MODULE_CALL:
                    module = outer
        if module is not None:
            module = reference(module.f_locals["self"])
        count = journal.count
        add_call((number, start, count - writes, count, code, frame.f_lasti, module, func))

    return MethodType(torch_function, self), note


def _only_metadata(func: Any) -> bool:
    return getattr(func, "__name__", "") == "detach_"


def _outside(frame: FrameType) -> FrameType:
    while FILES[frame.f_code.co_filename] and frame.f_back is not None:
        frame = frame.f_back
    return frame


def _is_passed_on(frame: FrameType | None) -> bool:
    """Whether a dispatch mode makes this call: it was seen when it was made first, or is the engine's own (`.grad`
    adds up)."""
    for _ in range(3):
        if frame is None:
            return False
        if frame.f_code.co_name == "__torch_dispatch__":
            return True
        frame = frame.f_back
    return False


def _innermost_module(frame: FrameType | None) -> ModuleRef | None:
    depth = 0
    while frame is not None and depth < 12:
        if frame.f_code is _MODULE_CALL:
            return weakref.ref(frame.f_locals["self"])
        frame = frame.f_back
        depth += 1
    return None
