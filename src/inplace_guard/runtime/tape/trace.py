"""In which module each node is made: hooks on all modules, and the sequence numbers of autograd."""

from __future__ import annotations

import threading
from bisect import bisect_right
from typing import Any

import torch
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook

from inplace_guard.runtime.compat import probe
from inplace_guard.runtime.tape.owners import ModuleName, Names

__all__ = ["Trace"]

_MOST = 400_000


class Trace:
    """The guard finds the module of a call on the stack, near the call; this knows it however deep the call is in
    helper functions. For one thread.

    `keep`: the modules that ran stay alive until `kept` is cleared, so that a report can still name them.
    """

    def __init__(self, *, keep: bool = False) -> None:
        self.kept: dict[int, torch.nn.Module] = {}
        self._keep = keep
        self.names = Names()
        self._sequence_nr = probe().sequence_nr or (lambda: 0)
        self._changes: list[tuple[int, ModuleName | None]] = []  # from this number on, the innermost module
        self._running: list[ModuleName] = []
        self._hooks: list[Any] = []
        self._thread = 0

    def __enter__(self) -> Trace:
        self._thread = threading.get_ident()
        self._hooks = [
            register_module_forward_pre_hook(self._enter),
            register_module_forward_hook(self._leave, always_call=True),
        ]
        return self

    def __exit__(self, *error: object) -> None:
        for hook in self._hooks:
            hook.remove()

    def _enter(self, module: torch.nn.Module, args: Any) -> None:
        if torch.compiler.is_compiling():  # dynamo would trace what follows
            return
        if threading.get_ident() == self._thread:
            if self._keep:
                self.kept[id(module)] = module
            self._running.append(self.names.of(module))
            self._note()

    def _leave(self, module: torch.nn.Module, args: Any, output: Any) -> None:
        if torch.compiler.is_compiling():
            return
        if threading.get_ident() == self._thread and self._running:
            self._running.pop()
            self._note()

    def _note(self) -> None:
        self._changes.append((self._sequence_nr(), self.running()))
        if len(self._changes) > _MOST:
            del self._changes[: _MOST // 2]

    def running(self) -> ModuleName | None:
        return self._running[-1] if self._running else None

    def module_of(self, sequence: int) -> str | None:
        """The path of the innermost module that ran when this node was made; empty for the outermost one."""
        index = bisect_right(self._changes, sequence, key=_number)
        return self.names.shown(self._changes[index - 1][1]) if index else None


def _number(entry: tuple[int, Any]) -> int:
    return entry[0]
