"""Custom autograd Functions: what their forward writes unmarked, and the tensors that they keep on ctx."""

from __future__ import annotations

import sys
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

import torch

from inplace_guard.runtime import active
from inplace_guard.runtime.alerts import STALE
from inplace_guard.runtime.bypass import Bypass, Owner, owners_of
from inplace_guard.runtime.careful import careful
from inplace_guard.runtime.compat import quiet
from inplace_guard.runtime.journal import Write
from inplace_guard.runtime.memory import Region, node_of, overlap, region_of, version_of
from inplace_guard.runtime.patches import Patch

if TYPE_CHECKING:
    from inplace_guard.runtime.recorder import Recorder

__all__ = ["CtxHit", "Functions", "patches"]

_MOST = 2048
_Known = tuple[weakref.ref[torch.Tensor], int | None, int]  # a tensor, its version, and the writes so far
_Input = tuple[torch.Tensor, int | None, list[Owner]]


@dataclass(frozen=True, slots=True)
class Kept:
    """A tensor on ctx when forward ended."""

    name: str
    region: Region
    order: int


@dataclass(slots=True)
class CtxHit:
    """`name`: the attribute of ctx; None for a tensor that forward was given or made, kept elsewhere."""

    node: Any
    name: str | None
    write: Write


def patches() -> list[Patch]:
    single = torch.autograd.function._SingleLevelFunction
    return [
        Patch(single, "apply", _wrap_apply),
        Patch(torch.autograd.function.FunctionCtx, "mark_dirty", _wrap_mark_dirty),
    ]


def _wrap_mark_dirty(original: Any) -> Any:
    def mark_dirty(self: Any, *args: Any) -> None:
        session = active.current()
        if session is not None:
            session.parts.functions.dirty.update(id(tensor) for tensor in args)
        original(self, *args)

    return mark_dirty


def _wrap_apply(original: Any) -> Any:
    single = torch.autograd.function._SingleLevelFunction

    def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        run = super(single, cls).apply
        session = active.current()
        if session is None or session.recorder.suspended or torch.compiler.is_compiling():
            return run(*args, **kwargs)
        return session.parts.functions.apply(cls, run, args, kwargs)

    return classmethod(apply)


class Functions:
    def __init__(self, recorder: Recorder, bypass: Bypass) -> None:
        self._recorder = recorder
        self._bypass = bypass
        self._kept: OrderedDict[int, list[Kept]] = OrderedDict()
        self._bases: set[int] = set()
        self._known: OrderedDict[int, list[_Known]] = OrderedDict()
        self._stale: list[_Known] = []  # of the backward in progress
        self._running: Any = None  # the node of that backward
        self.read: list[CtxHit] = []  # what backwards read of such tensors
        self.dirty: set[int] = set()  # inputs that the forward in progress has marked
        self.on_apply: list[Callable[[Any, bool], None]] = []  # with the class, before (True) and after forward

    def apply(self, cls: Any, run: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        __tracebackhide__ = True
        recorder = self._recorder
        frame = sys._getframe(2)
        inputs = self._inputs(args, frame) or []
        start, order, position = recorder.sequence_nr(), recorder.journal.count, len(recorder.journal.calls)
        for callback in self.on_apply:
            callback(cls, True)
        outer, self.dirty = self.dirty, set()
        recorder.function_depth += 1
        try:
            result = run(*args, **kwargs)
        except RuntimeError as error:
            with quiet():
                recorder.explain(error, cls.apply, args, frame, since=order)
            raise
        finally:
            recorder.function_depth -= 1
            dirty, self.dirty = self.dirty, outer
            for callback in self.on_apply:
                callback(cls, False)
        recorder.note_function(start, position, order, cls, frame)
        self._applied(cls, result, inputs, dirty, order)
        return result

    @careful
    def _inputs(self, args: tuple[Any, ...], frame: FrameType) -> list[_Input]:
        with quiet():
            self._recorder.touch_arguments(args, frame)
            return [
                (tensor, version_of(tensor), owners_of(tensor, region_of(tensor)))
                for tensor in args
                if isinstance(tensor, torch.Tensor)
            ]

    @careful
    def _applied(self, cls: Any, result: Any, inputs: list[_Input], dirty: set[int], order: int) -> None:
        with quiet():
            node = _node_of(cls, result)
            if node is not None:
                self._keep(node)
                tensors = [*(tensor for tensor, _, _ in inputs), *_tensors(result)]
                now = self._recorder.journal.count
                self._known[node._sequence_nr()] = [(weakref.ref(t), version_of(t), now) for t in tensors]
                if len(self._known) > _MOST:
                    self._known.popitem(last=False)
            for tensor, version, owners in inputs:
                if version is not None and version_of(tensor) != version and id(tensor) not in dirty:
                    self._unmarked(tensor, owners, order, [node_of(entry[0]) for entry in inputs])

    @careful
    def _unmarked(self, tensor: torch.Tensor, owners: list[Owner], order: int, nodes: list[Any]) -> None:
        """`tensor` was written in forward and not marked dirty, so its history goes on as before."""
        region = region_of(tensor)
        if region is None:
            return
        sources = [node for node in nodes if node is not None]
        for write in self._recorder.journal.writes_since(order):
            if write.region is not None and write.changes_values and overlap(write.region, region):
                for owner in owners:
                    self._bypass.lose(owner, write, "function", bool(sources))
                if not owners and sources and not tensor.requires_grad:
                    self._bypass.on_filled(tensor, write, sources)

    @careful
    def _keep(self, node: Any) -> None:
        attributes = getattr(node, "__dict__", None)
        if not attributes:
            return
        order = self._recorder.journal.count
        kept = []
        for name, value in attributes.items():
            for tensor in _tensors(value):
                region = region_of(tensor)
                if region is not None:
                    kept.append(Kept(name, region, order))
                    self._bases.add(region.base)
        if kept:
            self._kept[node._sequence_nr()] = kept
            if len(self._kept) > _MOST:
                self._kept.popitem(last=False)
                self._bases = {entry.region.base for entries in self._kept.values() for entry in entries}

    @careful
    def begins_backward(self, node: Any) -> None:
        """If a tensor that the forward of this node was given, or made, was written since, see whether it is read."""
        known = self._known.get(node._sequence_nr(), ())
        self._stale = [
            entry for entry in known if (tensor := entry[0]()) is not None and version_of(tensor) != entry[1]
        ]
        if self._stale:
            self._running = node
            self._recorder.alert |= STALE

    def ends_backward(self) -> None:
        self._recorder.alert &= ~STALE

    @careful
    def reads(self, values: Iterable[Any]) -> None:
        """A call in the custom backward that runs takes these."""
        for value in values:
            entry = next((entry for entry in self._stale if entry[0]() is value), None)
            region = region_of(value) if entry is not None else None
            if entry is None or region is None:
                continue
            self._stale.remove(entry)
            for write in self._recorder.journal.writes_since(entry[2]):
                if write.region is not None and write.changes_values and overlap(write.region, region):
                    self.read.append(CtxHit(self._running, None, write))
                    break

    def __bool__(self) -> bool:
        return bool(self._kept)

    def keeps(self, sequence: int) -> bool:
        return sequence in self._kept

    def watches(self, bases: AbstractSet[int]) -> bool:
        return not bases.isdisjoint(self._bases)

    @careful
    def note(self, writes: list[Write]) -> None:
        for write in writes:
            if write.region is not None and write.region.base in self._bases:
                self._bypass.pending = True

    def examine(self, node: Any, sequence: int) -> Iterator[CtxHit]:
        """Tensors on the ctx of this node that were written since its forward, if its backward reads them."""
        for kept in self._kept.get(sequence, ()):
            value = getattr(node, "__dict__", {}).get(kept.name)
            if not any(region_of(tensor) == kept.region for tensor in _tensors(value)):
                continue
            if not _reads(type(node), kept.name):
                continue
            for write in self._recorder.journal.writes_since(kept.order):
                if write.region is not None and write.changes_values and overlap(write.region, kept.region):
                    yield CtxHit(node, kept.name, write)
                    break


def _tensors(value: Any, depth: int = 2) -> Iterator[torch.Tensor]:
    """A tensor, or those in a container or in the attributes of a simple object."""
    if isinstance(value, torch.Tensor):
        yield value
    elif depth and isinstance(value, (tuple, list)):
        for entry in value:
            yield from _tensors(entry, depth - 1)
    elif depth and isinstance(value, dict):
        for entry in value.values():
            yield from _tensors(entry, depth - 1)
    elif depth and isinstance(getattr(value, "__dict__", None), dict) and not isinstance(value, torch.nn.Module):
        yield from _tensors(vars(value), depth - 1)


def _node_of(cls: Any, result: Any) -> Any:
    for tensor in _tensors(result):
        node = tensor.grad_fn
        if node is not None and getattr(type(node), "_forward_cls", None) is cls:
            return node
    return None


def _reads(kind: Any, name: str) -> bool:
    """Whether the backward of this Function mentions the attribute."""
    forward = getattr(kind, "_forward_cls", None)
    for method in ("backward", "vjp"):
        function: Any = getattr(forward, method, None)
        while hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        code = getattr(function, "__code__", None)
        if code is not None and _mentions(code, name):
            return True
    return False


def _mentions(code: CodeType, name: str) -> bool:
    if name in code.co_names or name in code.co_consts or "__dict__" in code.co_names or "vars" in code.co_names:
        return True
    return any(isinstance(constant, CodeType) and _mentions(constant, name) for constant in code.co_consts)
