"""Attributes of torch that are wrapped while some guard is active, and put back after.

A wrapper asks for the session of its own thread and passes the call on where there is none. If somebody else has
wrapped ours in the meantime, ours stays below theirs and only passes calls on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = ["Patch", "Patches"]

_MISSING: Any = object()


class Patch(NamedTuple):
    """`wrap(original)` gives what stands there instead; `original` may be inherited by `owner`."""

    owner: Any
    name: str
    wrap: Callable[[Any], Any]


class Patches:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holders = 0
        self._installed: list[tuple[Any, str, Any, Any]] = []

    def hold(self, patches: Callable[[], list[Patch]]) -> None:
        with self._lock:
            self._holders += 1
            if self._holders > 1:
                return
            same: dict[int, Any] = {}
            for owner, name, wrap in patches():
                original = getattr(owner, name, _MISSING)
                if original is _MISSING:
                    continue
                ours = same.setdefault(id(original), None) or wrap(original)
                same[id(original)] = ours
                self._installed.append((owner, name, vars(owner).get(name, _MISSING), ours))
                setattr(owner, name, ours)

    def release(self) -> bool:
        """True if this was the last holder, and all is as it was."""
        with self._lock:
            self._holders -= 1
            if self._holders:
                return False
            for owner, name, before, ours in reversed(self._installed):
                if vars(owner).get(name) is not ours:
                    continue
                if before is _MISSING:
                    delattr(owner, name)
                else:
                    setattr(owner, name, before)
            self._installed.clear()
            return True
