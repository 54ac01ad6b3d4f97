"""Compiled functions run without the recorder: dynamo would trace it, and compile the function again and again.

What happens inside a compiled function is therefore not seen; the call itself is noted.
"""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any

from inplace_guard.runtime import active, fastpaths
from inplace_guard.runtime.imports import ImportWatch, half_imported
from inplace_guard.runtime.recorder import AWAY

if TYPE_CHECKING:
    from inplace_guard.runtime.recorder import Recorder

__all__ = ["CompiledCalls", "leave_alone"]

_MODULE = "torch._dynamo.eval_frame"
_NAME = "_maybe_set_eval_frame"


def leave_alone(function: Any) -> None:
    """Dynamo calls this function of the guard as it is, and compiles neither it nor what it calls.

    `torch.compiler.disable` says the same, but imports dynamo, which most programs never need.
    """
    function._torchdynamo_disable = True
    try:
        from torch._C._dynamo.eval_frame import _FrameAction, _FrameExecStrategy, set_code_exec_strategy

        skip = _FrameExecStrategy(_FrameAction.SKIP, _FrameAction.SKIP)
        set_code_exec_strategy(inspect.unwrap(function).__code__, skip)
        set_code_exec_strategy(function.__code__, skip)
    except (ImportError, AttributeError, TypeError):
        return  # an older torch: it compiles the hook in pieces, with the same outcome


class CompiledCalls:
    """While installed, takes the recorder away for as long as dynamo's own frame evaluation is on."""

    def __init__(self) -> None:
        self._original: Any = None
        self._ours: Any = None
        self._waiting: ImportWatch | None = None

    def install(self) -> None:
        if _MODULE in sys.modules and not half_imported(_MODULE):
            self._patch()
        else:
            self._waiting = ImportWatch(_MODULE, self._patch)
            self._waiting.start()

    def remove(self) -> None:
        if self._waiting is not None:
            self._waiting.stop()
            self._waiting = None
        module = sys.modules.get(_MODULE)
        if self._ours is not None and getattr(module, _NAME, None) is self._ours:
            setattr(module, _NAME, self._original)
        self._ours = None
        fastpaths.learn()

    def _patch(self) -> None:
        module = sys.modules.get(_MODULE)
        self._original = getattr(module, _NAME, None)
        if self._original is not None:
            self._ours = _wrap(self._original)
            setattr(module, _NAME, self._ours)


class _Running(threading.local):
    def __init__(self) -> None:
        self.calls: list[tuple[int, Recorder, int]] = []


def _wrap(original: Callable[[Any], Any]) -> Callable[[Any], Any]:
    here = _Running()

    def _maybe_set_eval_frame(callback: Any) -> Any:
        """Dynamo calls this around each call of a compiled function: with its compiler, then with what was before."""
        caller: FrameType = sys._getframe(1)
        running = here.calls
        if running and running[-1][0] == id(caller):
            _, recorder, start = running.pop()
            recorder.resume()
            number = recorder.sequence_nr()
            if number != start:
                recorder.note_nodes(start, number, _COMPILED, caller)
        elif callable(callback):
            session = active.current()
            if session is not None and not session.recorder.suspended:
                session.recorder.suspend(AWAY)
                running.append((id(caller), session.recorder, session.recorder.sequence_nr()))
        fastpaths.for_dynamo(callable(callback))
        return original(callback)

    return _maybe_set_eval_frame


def _COMPILED() -> None: ...


_COMPILED.__name__ = "a compiled function"
