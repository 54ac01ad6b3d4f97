"""The door to the autograd engine, held only while some guard is active."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

from inplace_guard.runtime.compat import Torch

__all__ = ["Doors"]

Run = Callable[[Callable[..., Any], Any, tuple[Any, ...], dict[str, Any]], Any]


class Doors:
    """Wraps attributes of modules while at least one holder is there, and puts the originals back.

    If somebody else has wrapped ours in the meantime, ours stays below theirs and only passes calls on.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._lock = threading.Lock()
        self._holders = 0
        self._installed: list[tuple[Any, str, Any, Any]] = []

    def hold(self, api: Torch) -> None:
        with self._lock:
            self._holders += 1
            if self._holders == 1:
                wrapped: dict[int, Any] = {}
                for owner, name in api.engine_doors:
                    original = getattr(owner, name)
                    ours = wrapped.setdefault(id(original), self._wrap(original))
                    self._installed.append((owner, name, original, ours))
                    setattr(owner, name, ours)

    def release(self) -> None:
        with self._lock:
            self._holders -= 1
            if self._holders == 0:
                for owner, name, original, ours in self._installed:
                    if getattr(owner, name, None) is ours:
                        setattr(owner, name, original)
                self._installed.clear()

    def _wrap(self, original: Callable[..., Any]) -> Callable[..., Any]:
        run = self._run

        @functools.wraps(original)
        def door(outputs: Any, *args: Any, **kwargs: Any) -> Any:
            return run(original, outputs, args, kwargs)

        return door
