"""`guard()`: watch what runs inside, as a context manager or a decorator."""

from __future__ import annotations

import functools
import inspect
import sys
import threading
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, TypeVar

from inplace_guard.findings import Finding
from inplace_guard.runtime import compat
from inplace_guard.runtime.engine import Doors
from inplace_guard.runtime.recorder import Recorder
from inplace_guard.runtime.session import Session

__all__ = ["guard"]

F = TypeVar("F", bound=Callable[..., Any])
_HERE = threading.local()


def _sessions() -> list[Session]:
    stack: list[Session] | None = getattr(_HERE, "sessions", None)
    if stack is None:
        stack = _HERE.sessions = []
    return stack


def _run(original: Callable[..., Any], outputs: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    stack = _sessions()
    if not stack:
        return original(outputs, *args, **kwargs)
    return stack[-1].backward(original, outputs, args, kwargs, sys._getframe(2))


_DOORS = Doors(_run)


class guard:
    """Watches the calls of this thread; `findings` fills up as hazards are found."""

    def __init__(
        self,
        mode: str = "on",
        *,
        content: bool = False,
        allow: Iterable[str] = (),
        memory: Recorder | None = None,
    ) -> None:
        self.findings: list[Finding] = []
        self.memory = memory
        self._allow = frozenset(allow)
        self._entered: list[Session] = []

    def __enter__(self) -> guard:
        stack = _sessions()
        if stack:
            recorder = stack[-1].recorder
        elif self.memory is not None:
            recorder = self.memory
        else:
            recorder = Recorder(compat.probe())
        self.memory = recorder
        session = Session(recorder, self.findings)
        _DOORS.hold(recorder.api)
        if not stack:
            recorder.__enter__()
        stack.append(session)
        self._entered.append(session)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        session = self._entered.pop()
        stack = _sessions()
        stack.remove(session)
        if not stack:
            compat.remove_mode(session.recorder)
        _DOORS.release()

    def __call__(self, function: F) -> F:
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def guarded_async(*args: Any, **kwargs: Any) -> Any:
                with self:
                    return await function(*args, **kwargs)

            return guarded_async  # type: ignore[return-value]

        @functools.wraps(function)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return guarded  # type: ignore[return-value]
