"""Where each node is made. The recorder of the guard notes only what it needs, for speed; a tape wants every line."""

from __future__ import annotations

import sys
import weakref
from bisect import bisect_right
from types import TracebackType
from typing import Any

import torch
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.overrides import TorchFunctionMode

from inplace_guard.runtime.capture import Place, here
from inplace_guard.runtime.compat import probe
from inplace_guard.runtime.journal import ModuleRef

__all__ = ["Trace"]


class Trace(TorchFunctionMode):
    """Enter it before the guard, so that the guard sees each call first.

    Keeps the modules that ran until `release`: their names are asked for when the function that made them is over.
    """

    def __init__(self) -> None:
        super().__init__()
        self._sequence_nr = probe().sequence_nr or (lambda: 0)
        self._calls: list[tuple[int, int, Place | None, Any]] = []  # number after the call, before it
        self._modules: list[tuple[int, ModuleRef | None]] = []  # from this number on, the innermost module
        self._running: list[ModuleRef] = []
        self._kept: dict[int, torch.nn.Module] = {}
        self._hooks: list[Any] = []

    def __enter__(self) -> Trace:
        self._hooks = [
            register_module_forward_pre_hook(self._enter_module),
            register_module_forward_hook(self._leave_module, always_call=True),
        ]
        super().__enter__()  # type: ignore[no-untyped-call]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)  # type: ignore[no-untyped-call]
        for hook in self._hooks:
            hook.remove()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        __tracebackhide__ = True
        start = self._sequence_nr()
        result = func(*args, **kwargs) if kwargs else func(*args)
        number = self._sequence_nr()
        if number != start:
            self._calls.append((number, start, here(sys._getframe(1)), func))
        return result

    def _enter_module(self, module: torch.nn.Module, args: Any) -> None:
        self._kept[id(module)] = module
        self._running.append(weakref.ref(module))
        self._modules.append((self._sequence_nr(), self._running[-1]))

    def _leave_module(self, module: torch.nn.Module, args: Any, output: Any) -> None:
        if self._running:
            self._running.pop()
        self._modules.append((self._sequence_nr(), self._running[-1] if self._running else None))

    def running(self) -> ModuleRef | None:
        return self._running[-1] if self._running else None

    @property
    def ran(self) -> list[torch.nn.Module]:
        return list(self._kept.values())

    def release(self) -> None:
        self._kept.clear()

    def call_of(self, sequence: int) -> tuple[Place, Any] | None:
        """The innermost call that made the node with this number; None for a node made in no call that torch shows."""
        index = bisect_right(self._calls, sequence, key=_after)
        if index == len(self._calls):
            return None
        _, start, place, func = self._calls[index]
        return (place, func) if start <= sequence and place is not None else None

    def module_of(self, sequence: int) -> ModuleRef | None:
        index = bisect_right(self._modules, sequence, key=_after)
        return self._modules[index - 1][1] if index else None


def _after(entry: tuple[Any, ...]) -> int:
    number: int = entry[0]
    return number
