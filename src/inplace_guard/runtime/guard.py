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
from inplace_guard.runtime import (
    active,
    bypass,
    compat,
    exports,
    fastpaths,
    functions,
    gradients,
    optimizers,
    savedhooks,
    saves,
    shortcut,
    torchwarnings,
    tracing,
)
from inplace_guard.runtime.codes import codes_of
from inplace_guard.runtime.dynamo import CompiledCalls
from inplace_guard.runtime.optimizers import StepHooks
from inplace_guard.runtime.parts import Parts
from inplace_guard.runtime.patches import Patch, Patches
from inplace_guard.runtime.recorder import AWAY
from inplace_guard.runtime.session import Session

__all__ = ["guard"]

F = TypeVar("F", bound=Callable[..., Any])
_PATCHING = (
    bypass, exports, functions, gradients, optimizers, savedhooks, saves, shortcut, torchwarnings, tracing,
)  # fmt: skip


def _wrap_engine(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def door(outputs: Any, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        session = active.current()
        if session is None or session.recorder.suspended == AWAY:
            return original(outputs, *args, **kwargs)
        return session.backward(original, outputs, args, kwargs, sys._getframe(1))

    return door


class _Shared:
    """What is changed in torch itself, for as long as any guard of any thread is active."""

    def __init__(self) -> None:
        self.patches = Patches()
        self.steps = StepHooks()
        self.compiled = CompiledCalls()

    def hold(self, api: compat.Torch) -> None:
        def all_patches() -> list[Patch]:
            self.steps.install()
            self.compiled.install()
            doors = [Patch(owner, name, _wrap_engine) for owner, name in api.engine_doors]
            for home in (
                bypass,
                exports,
                fastpaths,
                functions,
                gradients,
                optimizers,
                savedhooks,
                saves,
                shortcut,
                torchwarnings,
                tracing,
            ):
                doors += home.patches()
            return doors

        self.patches.hold(all_patches)

    def release(self) -> None:
        if self.patches.release():
            self.steps.remove()
            self.compiled.remove()


_SHARED = _Shared()


class guard:
    """Watches the calls of this thread; `findings` fills up as hazards are found.

    A failing backward raises as always, with the lines that wrote, saved and needed added to its message. A hazard
    that PyTorch does not notice raises `InplaceHazardError` before the backward that it would corrupt; one that shows
    only at the write, with no backward to corrupt, is listed. `mode="fail-fast"` raises at the write itself if a live
    graph saved that memory; `content=True` compares the contents of every saved tensor. `allow` names codes, rules or
    families that are left alone, `raise_on` those that raise at the write even if they would only be listed.

    May be entered again and nested (the innermost guard gets the findings), and used from several threads, each of
    which has a memory of its own.
    """

    def __init__(
        self,
        mode: str = "on",
        *,
        content: bool = False,
        allow: str | Iterable[str] = (),
        raise_on: str | Iterable[str] = (),
        memory: Parts | None = None,
    ) -> None:
        if mode not in ("on", "fail-fast"):
            raise ValueError(f"mode is 'on' or 'fail-fast', not {mode!r}")
        self.findings: list[Finding] = []
        self.memory = memory
        self._mode = mode
        self._content = content
        self._allow = codes_of(allow)
        self._raise_on = codes_of(raise_on)
        self._entered: list[tuple[int, Session]] = []

    @property
    def lost(self) -> list[str]:
        """What this torch lacks, and what the reports miss for it. Empty before the guard is first entered."""
        return list(self.memory.recorder.api.lost) if self.memory is not None else []

    def allow(self, *codes: str) -> guard:
        """Leave these alone, too."""
        self._allow |= codes_of(codes)
        return self

    def raise_on(self, *codes: str) -> guard:
        """Raise `InplaceHazardError` for these wherever they show."""
        self._raise_on |= codes_of(codes)
        return self

    def __enter__(self) -> guard:
        stack = active.sessions()
        if stack:
            parts = stack[-1].parts
        else:
            parts = self.memory if self.memory is not None and self.memory.is_free() else Parts(compat.probe())
            compat.tell(parts.recorder.api)
        self.memory = parts
        session = Session(
            parts,
            self.findings,
            allow=self._allow,
            raise_on=self._raise_on,
            fail_fast=self._mode == "fail-fast",
            content=self._content,
        )
        _SHARED.hold(parts.recorder.api)
        if not stack:
            parts.begin()
        session.open()
        stack.append(session)
        self._entered.append((threading.get_ident(), session))
        return self

    def close_inner(self) -> int:
        """Close what was entered after this guard in this thread and never left; returns how many that were."""
        stack = active.sessions()
        own = self._entered[-1][1]
        inner = stack[stack.index(own) + 1 :] if own in stack else []
        for session in reversed(inner):
            stack.remove(session)
            session.close()
            _SHARED.release()
        if inner:
            own.listen()
        return len(inner)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        stack = active.sessions()
        own = threading.get_ident()
        index = next(index for index in reversed(range(len(self._entered))) if self._entered[index][0] == own)
        _, session = self._entered.pop(index)
        stack.remove(session)
        session.close()
        if stack:
            stack[-1].listen()
        else:
            session.parts.end()
        _SHARED.release()

    def __call__(self, function: F) -> F:
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def guarded_async(*args: Any, **kwargs: Any) -> Any:
                with self:
                    return await function(*args, **kwargs)

            return guarded_async  # type: ignore[return-value]

        if inspect.isasyncgenfunction(function):
            raise TypeError("guard() does not decorate asynchronous generators; use it inside with a with statement")

        if inspect.isgeneratorfunction(function):

            @functools.wraps(function)
            def guarded_generator(*args: Any, **kwargs: Any) -> Any:
                """On while the generator runs, off while its caller does."""
                generator = function(*args, **kwargs)
                step, sent = generator.send, None
                while True:
                    with self:
                        try:
                            item = step(sent)
                        except StopIteration as done:
                            return done.value
                    try:
                        step, sent = generator.send, (yield item)
                    except GeneratorExit:
                        with self:
                            generator.close()
                        raise
                    except BaseException as error:
                        step, sent = generator.throw, error

            return guarded_generator  # type: ignore[return-value]

        @functools.wraps(function)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return guarded  # type: ignore[return-value]
