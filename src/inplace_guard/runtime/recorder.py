"""The function mode that sees every call: which made graph nodes, which wrote."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from inplace_guard.runtime import opkinds
from inplace_guard.runtime.capture import FILES, chain
from inplace_guard.runtime.compat import Torch
from inplace_guard.runtime.journal import Journal, ModuleRef, Write
from inplace_guard.runtime.memory import region_of, version_of

__all__ = ["Recorder"]

_MODULE_CALL = getattr(torch.nn.Module, "_wrapped_call_impl", torch.nn.Module.__call__).__code__
Handler = Callable[["Recorder", Any, tuple[Any, ...], dict[str, Any] | None, FrameType], Any]


class Recorder(TorchFunctionMode):
    """One thread's memory of its calls. Keeps no tensor alive.

    `handlers` maps the names of `opkinds.Special` to what is done with those calls; `on_error` explains a RuntimeError
    that a call raised (it adds to the error, and never raises itself).
    """

    def __init__(self, api: Torch) -> None:
        super().__init__()
        self.api = api
        self.journal = Journal()
        self.handlers: dict[str, Handler] = {}
        self.on_error: Callable[[RuntimeError, Any, tuple[Any, ...], FrameType], None] | None = None
        self.on_write: Callable[[Sequence[Any], list[Write]], None] | None = None
        self._calls = self.journal.calls
        self._kinds: dict[Any, opkinds.Kind] = {}
        self._sequence_nr = api.sequence_nr or (lambda: 0)
        self._last = self._sequence_nr()

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kind = self._kinds.get(func)
        if kind is None:
            kind = self._kinds[func] = opkinds.classify(func)
        if kind == 0:
            return func(*args, **kwargs) if kwargs else func(*args)
        if kind == 1 and not (kwargs and "out" in kwargs):
            start = self._sequence_nr()
            try:
                result = func(*args, **kwargs) if kwargs else func(*args)
            except RuntimeError as error:
                self.explain(error, func, args, sys._getframe(1))
                raise
            number = self._sequence_nr()
            if number != self._last:
                self.note_nodes(start, number, func, sys._getframe(1))
            return result
        return self._unusual(kind, func, args, kwargs, sys._getframe(1))

    def note_nodes(self, start: int, number: int, func: Any, frame: FrameType | None, writes: int = 0) -> None:
        """Nodes `start` to `number` (exclusive) were made by this call; what lies before went past the recorder."""
        module: Any = None
        while frame is not None:
            code = frame.f_code
            if not FILES[code.co_filename]:
                break
            if code is _MODULE_CALL:
                module = frame
            outer = frame.f_back
            if outer is None:
                break
            frame = outer
        if frame is None:
            return
        if module is None:
            outer = frame.f_back
            outer = outer.f_back if outer is not None else None
            if outer is not None and outer.f_code is _MODULE_CALL:
                module = outer
        reference: ModuleRef | None = None
        if module is not None:
            reference = weakref.ref(module.f_locals["self"])
        count = self.journal.write_count
        code, lasti = frame.f_code, frame.f_lasti
        if start > self._last:
            self._calls.append((start, count, count, code, lasti, reference, None))
        if number > start:
            self._calls.append((number, count - writes, count, code, lasti, reference, func))
        self._last = number

    def explain(self, error: RuntimeError, func: Any, args: tuple[Any, ...], frame: FrameType) -> None:
        if self.on_error is not None:
            self.on_error(error, func, args, frame)

    def _unusual(
        self, kind: Any, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, frame: FrameType
    ) -> Any:
        if isinstance(kind, opkinds.Special):
            handler = self.handlers.get(kind)
            if handler is not None:
                return handler(self, func, args, kwargs, frame)
            return self.call(func, args, kwargs, (), frame)
        if kind == opkinds.PLAIN:
            assert kwargs is not None
            out = kwargs["out"]
            return self.call(func, args, kwargs, out if isinstance(out, (tuple, list)) else (out,), frame)
        if isinstance(kind, opkinds.InplaceFlag):
            written = args[:1] or (kwargs or {}).get("input", ())
            written = written if isinstance(written, tuple) else (written,)
            return self.call(func, args, kwargs, written if kind.on(args, kwargs) else (), frame)
        if not args:
            first = next(iter(kwargs.values()), None) if kwargs else None
        else:
            first = args[0]
        if kind == opkinds.LIST_WRITER:
            return self.call(func, args, kwargs, tuple(first) if isinstance(first, (tuple, list)) else (), frame)
        return self.call(func, args, kwargs, (first,), frame)

    def call(
        self,
        func: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any] | None,
        written: Sequence[Any],
        frame: FrameType,
    ) -> Any:
        """Make a call that writes these tensors, and remember it."""
        written = [tensor for tensor in written if isinstance(tensor, torch.Tensor)]
        before = [version_of(tensor) for tensor in written]
        start = self._sequence_nr()
        try:
            result = func(*args, **kwargs) if kwargs else func(*args)
        except RuntimeError as error:
            self.explain(error, func, args, frame)
            raise
        if written and torch._C._get_tracing_state() is None:
            self.note_writes(func, written, before, start, frame)
        number = self._sequence_nr()
        if number != self._last:
            self.note_nodes(start, number, func, frame, len(written))
        return result

    def note_writes(
        self, func: Any, written: Sequence[Any], before: Sequence[int | None], start: int, frame: FrameType
    ) -> None:
        frames = chain(frame)
        module = _innermost_module(frame)
        writes = []
        for tensor, old in zip(written, before, strict=True):
            version = version_of(tensor)
            write = Write(
                self.journal.write_count,
                start,
                func,
                frames,
                module,
                region_of(tensor),
                version,
                unversioned=old is not None and version == old,
            )
            self.journal.add_write(write)
            writes.append(write)
        if self.on_write is not None:
            self.on_write(written, writes)


def _innermost_module(frame: FrameType | None) -> ModuleRef | None:
    depth = 0
    while frame is not None and depth < 12:
        if frame.f_code is _MODULE_CALL:
            return weakref.ref(frame.f_locals["self"])
        frame = frame.f_back
        depth += 1
    return None
