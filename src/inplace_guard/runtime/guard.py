"""`guard()`: watch what runs inside, as a context manager or a decorator."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, TypeVar

from inplace_guard.findings import Finding
from inplace_guard.runtime import active, compat, functions, gradients, optimizers, savedhooks
from inplace_guard.runtime.optimizers import StepHooks
from inplace_guard.runtime.parts import Parts
from inplace_guard.runtime.patches import Patch, Patches
from inplace_guard.runtime.session import Session

__all__ = ["guard"]

F = TypeVar("F", bound=Callable[..., Any])


def _wrap_engine(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def door(outputs: Any, *args: Any, **kwargs: Any) -> Any:
        session = active.current()
        if session is None or compat.is_compiling():
            return original(outputs, *args, **kwargs)
        return session.backward(original, outputs, args, kwargs, sys._getframe(1))

    return door


class _Shared:
    """What is changed in torch itself, for as long as any guard of any thread is active."""

    def __init__(self) -> None:
        self.patches = Patches()
        self.steps = StepHooks()

    def hold(self, api: compat.Torch) -> None:
        def all_patches() -> list[Patch]:
            self.steps.install()
            doors = [Patch(owner, name, _wrap_engine) for owner, name in api.engine_doors]
            return [*doors, *functions.patches(), *gradients.patches(), *optimizers.patches(), *savedhooks.patches()]

        self.patches.hold(all_patches)

    def release(self) -> None:
        if self.patches.release():
            self.steps.remove()


_SHARED = _Shared()


class guard:
    """Watches the calls of this thread; `findings` fills up as hazards are found.

    A failing backward raises as always, with the lines that wrote, saved and needed added to its message. A hazard that
    PyTorch does not notice raises `InplaceHazardError` before the backward that it would corrupt. `allow` names the
    codes that are left alone. May be entered again, nested, and used from several threads, each of which then has a
    memory of its own.
    """

    def __init__(
        self,
        mode: str = "on",
        *,
        content: bool = False,
        allow: Iterable[str] = (),
        memory: Parts | None = None,
    ) -> None:
        self.findings: list[Finding] = []
        self.memory = memory
        self._allow = frozenset(allow)
        self._entered: list[Session] = []

    def __enter__(self) -> guard:
        stack = active.sessions()
        if stack:
            parts = stack[-1].parts
        else:
            parts = self.memory if self.memory is not None else Parts(compat.probe())
            self.memory = parts
        session = Session(parts, self.findings, self._allow)
        _SHARED.hold(parts.recorder.api)
        session.listen()
        if not stack:
            parts.recorder.__enter__()
        stack.append(session)
        self._entered.append(session)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        session = self._entered.pop()
        stack = active.sessions()
        stack.remove(session)
        if stack:
            stack[-1].listen()
        else:
            session.recorder.resume()
            compat.take_off(session.recorder)
            session.parts.exports.close()
        _SHARED.release()

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
