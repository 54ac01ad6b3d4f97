"""Gradients written in place: in a custom backward, in a hook, or after `autograd.grad` handed out shared memory."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch

from inplace_guard.runtime import active
from inplace_guard.runtime.alerts import ENGINE
from inplace_guard.runtime.careful import careful
from inplace_guard.runtime.compat import quiet
from inplace_guard.runtime.journal import Write
from inplace_guard.runtime.memory import Region, base_of, overlap, region_of, version_of
from inplace_guard.runtime.patches import Patch

if TYPE_CHECKING:
    from inplace_guard.runtime.recorder import Recorder

__all__ = ["GradientWrite", "Gradients", "patches"]

_STEPS_UP = 60


@dataclass(slots=True)
class GradientWrite:
    """`by`: the Function whose backward wrote, or None for a hook. `again`: it wrote what it had returned before."""

    write: Write
    by: str | None = None
    again: bool = False


def patches() -> list[Patch]:
    return [Patch(torch.autograd.function.BackwardCFunction, "apply", _wrap_backward)]


def _wrap_backward(original: Any) -> Any:
    def apply(self: Any, *args: Any) -> Any:
        __tracebackhide__ = True
        session = active.current()
        if session is None:
            return original(self, *args)
        return session.parts.gradients.run_backward(self, original, args)

    return apply


class Gradients:
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._fresh: set[int] = set()
        self._aliases: list[weakref.ref[torch.Tensor]] = []
        self._shared: deque[tuple[Region, list[weakref.ref[torch.Tensor]]]] = deque(maxlen=64)
        self._returned: dict[int, tuple[weakref.ref[torch.Tensor], str]] = {}
        self.found: list[GradientWrite] = []
        self._results: list[Write] = []
        self.on_backward: Callable[[Any], None] = lambda node: None
        self.after_backward: Callable[[], None] = lambda: None

    def __bool__(self) -> bool:
        """Whether results of autograd.grad that share memory are known."""
        return bool(self._shared)

    def run_backward(self, node: Any, original: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """A custom backward: did it write a gradient that others hold as well?"""
        __tracebackhide__ = True
        journal = self._recorder.journal
        order = journal.count
        with quiet():
            gradients = [(value, version_of(value), _held_by_others(value, 1)) for value in args if _is_tensor(value)]
        recorder = self._recorder
        recorder.backward_depth += 1
        alert, recorder.alert = recorder.alert, recorder.alert & ~ENGINE  # what hooks make is looked at, not this
        self.on_backward(node)
        try:
            result = original(node, *args)
            self._keep_returned(node, result)
            return result
        finally:
            recorder.backward_depth -= 1
            recorder.alert |= alert & ENGINE
            self.after_backward()
            with quiet():
                for gradient, version, shared in gradients:
                    if shared and version_of(gradient) != version:
                        self._written_in_backward(node, gradient, order)

    @careful
    def _keep_returned(self, node: Any, result: Any) -> None:
        """Gradients that a custom backward returned: the engine may hold them for long."""
        with quiet():
            for tensor in result if isinstance(result, (tuple, list)) else (result,):
                region = region_of(tensor) if _is_tensor(tensor) else None
                if region is not None:
                    self._returned[region.base] = (weakref.ref(tensor), type(node)._forward_cls.__name__)

    def _hits_returned(self, write: Write) -> None:
        """A custom backward writes memory that it, or another, returned before: does the engine still hold that?"""
        if write.region is None or write.region.base not in self._returned:
            return
        reference, name = self._returned[write.region.base]
        tensor = reference()
        use_count = getattr(tensor, "_use_count", None)
        if tensor is not None and use_count is not None and use_count() > 1:
            self.found.append(GradientWrite(write, by=name, again=True))

    def _written_in_backward(self, node: Any, gradient: torch.Tensor, order: int) -> None:
        region = region_of(gradient)
        for write in self._recorder.journal.writes_since(order):
            if region is None or write.region is None or not write.changes_values:
                continue
            if overlap(write.region, region):
                self.found.append(GradientWrite(write, by=type(node)._forward_cls.__name__))
                return

    @careful
    def made(self, args: Iterable[Any], result: Any) -> None:
        """A call inside a hook: its result is new memory, or an alias of an argument."""
        bases = {base_of(value) for value in args if _is_tensor(value)}
        for tensor in result if isinstance(result, (tuple, list)) else (result,):
            base = base_of(tensor) if _is_tensor(tensor) else 0
            if not base:
                continue
            if base in bases:
                self._aliases.append(weakref.ref(tensor))
            else:
                self._fresh.add(base)

    def begin(self) -> None:
        if self._fresh or self._aliases or self._returned or self.found:
            self._fresh.clear()
            self._aliases.clear()
            self._returned.clear()
            self.found = []

    @careful
    def note(self, tensors: Sequence[torch.Tensor], writes: Sequence[Write], frame: FrameType) -> None:
        if self._recorder.backward_depth:
            for write in writes:
                self._hits_returned(write)
        elif self._recorder.engine_depth:
            for tensor, write in zip(tensors, writes, strict=True):
                if self._hits_gradient(tensor, write, frame):
                    self.found.append(GradientWrite(write))
        elif self._shared:
            for write in writes:
                self._check_shared(write)

    def _hits_gradient(self, tensor: torch.Tensor, write: Write, frame: FrameType) -> bool:
        region = write.region
        if region is None or not write.changes_values or tensor.requires_grad or region.base in self._fresh:
            return False
        called = list(_arguments(frame))
        for arguments in called:
            for gradient in arguments:
                other = region_of(gradient)
                if other is None or gradient.requires_grad or not overlap(region, other):
                    continue
                by_engine = any(gradient is entry for entry in called[-1])
                aliases = sum(
                    1 for reference in self._aliases if (alias := reference()) is not None and alias is not gradient
                )
                return _held_by_others(gradient, 2 if by_engine else 1, aliases)
        return False

    def take_results(self) -> list[Write]:
        """Writes to results of autograd.grad that share memory, since the last time."""
        taken, self._results = self._results, []
        return taken

    @careful
    def returned(self, results: Any) -> None:
        """`autograd.grad` gave these: some may share memory."""
        tensors = [value for value in results if _is_tensor(value)]
        regions = [region_of(tensor) for tensor in tensors]
        for index, region in enumerate(regions):
            if region is None:
                continue
            same = [
                other
                for other, its in zip(tensors, regions, strict=True)
                if its is not None and its.base == region.base and overlap(its, region)
            ]
            if len(same) > 1 and region not in regions[:index]:
                self._shared.append((region, [weakref.ref(other) for other in same]))

    def _check_shared(self, write: Write) -> None:
        for region, references in list(self._shared):
            alive = [tensor for reference in references if (tensor := reference()) is not None]
            if len(alive) < 2:
                self._shared.remove((region, references))
            elif write.region is not None and overlap(write.region, region):
                self._results.append(write)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def _held_by_others(gradient: torch.Tensor, holders: int, aliases: int = 0) -> bool:
    """Whether more than the engine and the callee hold this gradient or its memory."""
    use_count = getattr(gradient, "_use_count", None)
    storage_count = getattr(torch._C, "_storage_Use_Count", None)
    if use_count is None or storage_count is None:
        return True
    try:
        of_tensor = use_count()
        of_storage = storage_count(gradient.untyped_storage()._cdata)
    except (RuntimeError, NotImplementedError):
        return False
    return bool(of_tensor > holders or of_storage - aliases > 2)


def _arguments(frame: FrameType | None) -> Iterator[list[torch.Tensor]]:
    """The tensors that each function between this frame and the engine was called with; last, the engine's own call."""
    steps = 0
    while frame is not None and steps < _STEPS_UP:
        code = frame.f_code
        if code.co_name == "_engine_run_backward":
            return
        count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 0x04)
        local = frame.f_locals
        found: list[torch.Tensor] = []
        for name in code.co_varnames[:count]:
            value = local.get(name)
            if isinstance(value, torch.Tensor):
                found.append(value)
            elif isinstance(value, (tuple, list)):
                found += [entry for entry in value if isinstance(entry, torch.Tensor)]
        yield found
        frame = frame.f_back
        steps += 1
