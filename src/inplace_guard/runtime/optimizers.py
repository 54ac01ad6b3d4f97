"""Optimizer steps: told as one write of all parameters, and run without the recorder, which would only slow them."""

from __future__ import annotations

import inspect
import sys
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from inplace_guard.runtime import active
from inplace_guard.runtime.capture import chain
from inplace_guard.runtime.careful import careful
from inplace_guard.runtime.dynamo import leave_alone
from inplace_guard.runtime.journal import Step
from inplace_guard.runtime.memory import Region, region_of, version_of
from inplace_guard.runtime.patches import Patch

if TYPE_CHECKING:
    from inplace_guard.runtime.session import Session

__all__ = ["StepHooks", "patches"]

_TORCHS_OWN: weakref.WeakKeyDictionary[type, bool] = weakref.WeakKeyDictionary()


def patches() -> list[Patch]:
    return [
        Patch(torch.optim.Optimizer, "zero_grad", _wrap_zero_grad),
        Patch(torch.nn.Module, "zero_grad", _wrap_zero_grad),
    ]


def _wrap_zero_grad(original: Any) -> Any:
    def zero_grad(self: Any, set_to_none: bool = True) -> None:
        session = active.current()
        if session is None or not set_to_none or torch.compiler.is_compiling():
            return original(self, set_to_none)  # type: ignore[no-any-return]
        session.recorder.suspend()
        try:
            return original(self, set_to_none)  # type: ignore[no-any-return]
        finally:
            session.recorder.resume()

    return zero_grad


@dataclass(slots=True)
class _Running:
    optimizer: Any
    session: Session
    start: int
    parameters: list[Any]
    versions: list[int | None]


class StepHooks:
    """Global hooks around `Optimizer.step`, in place as long as some guard is."""

    def __init__(self) -> None:
        self._handles: list[Any] = []
        self._running: list[_Running] = []
        self._regions: dict[int, tuple[int, Region | None]] = {}

    def install(self) -> None:
        self._handles = [
            register_optimizer_step_pre_hook(self._before),
            register_optimizer_step_post_hook(self._after),
        ]
        for hook in (StepHooks._before, StepHooks._after):
            leave_alone(hook)

    def remove(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles.clear()
        self._running.clear()
        self._regions.clear()

    def _before(self, optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        session = active.current()
        if session is None or not _is_torchs_own(optimizer) or _closure(args, kwargs):
            return
        if self._running:  # a step that raised never came back
            self._running = [entry for entry in self._running if entry.session is not session]
        session.recorder.suspend()
        parameters = [
            parameter for group in optimizer.param_groups for parameter in group["params"] if parameter.grad is not None
        ]
        if session.recorder.before_write:
            try:
                session.recorder.refuse(optimizer, parameters, sys._getframe(1))
            except BaseException:
                session.recorder.resume()
                raise
        session.parts.aliases.steps_with(parameters)
        versions = [version_of(parameter) for parameter in parameters]
        self._running.append(_Running(optimizer, session, session.recorder.sequence_nr(), parameters, versions))

    @careful
    def _after(self, optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        for entry in reversed(self._running):
            if entry.optimizer is optimizer:
                self._running.remove(entry)
                recorder = entry.session.recorder
                step = Step(
                    recorder.journal.count,
                    entry.start,
                    type(optimizer).__name__,
                    chain(sys._getframe(1)),
                    tuple(self._region(parameter) for parameter in entry.parameters),
                    entry.versions,
                    [version_of(parameter) for parameter in entry.parameters],
                )
                recorder.journal.add_step(step)
                entry.session.parts.stepped(step, entry.parameters)
                recorder.resume()
                return

    def _region(self, parameter: Any) -> Region | None:
        """Remembered from the last step, as long as the parameter stands where it stood."""
        try:
            address = parameter.data_ptr()
        except RuntimeError:
            return None
        known = self._regions.get(id(parameter))
        if known is None or known[0] != address or (known[1] is not None and known[1].shape != parameter.shape):
            known = self._regions[id(parameter)] = (address, region_of(parameter))
        return known[1]


def _is_torchs_own(optimizer: Any) -> bool:
    kind = type(optimizer)
    known = _TORCHS_OWN.get(kind)
    if known is None:
        step: Callable[..., Any] = inspect.unwrap(kind.step)
        known = _TORCHS_OWN[kind] = str(getattr(step, "__module__", "")).startswith("torch.optim")
    return known


def _closure(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    return any(callable(value) for value in (*args[1:], *kwargs.values()))
