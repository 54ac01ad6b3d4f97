"""Optimizer steps: told as one write of all parameters, and run without the recorder, which would only slow them."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from inplace_guard.runtime import active
from inplace_guard.runtime.capture import chain
from inplace_guard.runtime.journal import Write
from inplace_guard.runtime.memory import region_of, version_of
from inplace_guard.runtime.patches import Patch

if TYPE_CHECKING:
    from inplace_guard.runtime.recorder import Recorder

__all__ = ["StepHooks", "patches"]


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
class _Step:
    optimizer: Any
    recorder: Recorder
    start: int
    parameters: list[Any]
    versions: list[int | None]


class StepHooks:
    """Global hooks around `Optimizer.step`, in place as long as some guard is."""

    def __init__(self) -> None:
        self._handles: list[Any] = []
        self._running: list[_Step] = []

    def install(self) -> None:
        self._handles = [
            register_optimizer_step_pre_hook(self._before),
            register_optimizer_step_post_hook(self._after),
        ]

    def remove(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles.clear()
        self._running.clear()

    def _before(self, optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        session = active.current()
        if session is None or not _is_torchs_own(optimizer) or _closure(args, kwargs):
            return
        recorder = session.recorder
        self._running = [step for step in self._running if step.recorder is not recorder]
        recorder.suspend()
        parameters = [
            parameter
            for group in optimizer.param_groups
            for parameter in group["params"]
            if parameter.grad is not None
        ]
        versions = [version_of(parameter) for parameter in parameters]
        self._running.append(_Step(optimizer, recorder, recorder.sequence_nr(), parameters, versions))

    def _after(self, optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        for step in reversed(self._running):
            if step.optimizer is optimizer:
                self._running.remove(step)
                _note(step, sys._getframe(1))
                step.recorder.resume()
                return


def _is_torchs_own(optimizer: Any) -> bool:
    step: Callable[..., Any] = inspect.unwrap(type(optimizer).step)
    return str(getattr(step, "__module__", "")).startswith("torch.optim")


def _closure(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    return any(callable(value) for value in (*args[1:], *kwargs.values()))


def _note(step: _Step, frame: FrameType) -> None:
    recorder = step.recorder
    frames = chain(frame)
    name = type(step.optimizer).__name__
    writes = []
    for parameter, before in zip(step.parameters, step.versions, strict=True):
        version = version_of(parameter)
        write = Write(
            recorder.journal.write_count,
            step.start,
            None,
            frames,
            None,
            region_of(parameter),
            version,
            unversioned=before is not None and version == before,
            optimizer=name,
        )
        recorder.journal.add_write(write)
        writes.append(write)
    recorder.noted(step.parameters, writes, (), {}, frame)
