"""The sessions of this thread, innermost last."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inplace_guard.runtime.session import Session

__all__ = ["current", "sessions"]


class _Here(threading.local):
    def __init__(self) -> None:
        self.sessions: list[Session] = []


_HERE = _Here()


def sessions() -> list[Session]:
    return _HERE.sessions


def current() -> Session | None:
    stack = _HERE.sessions
    return stack[-1] if stack else None
