"""A guard that waits for torch: nothing is imported, and nothing costs time, in a suite that does not use it."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

from inplace_guard.findings import Finding
from inplace_guard.runtime.imports import ImportWatch, half_imported
from inplace_guard.runtime.testing.choices import Choices

if TYPE_CHECKING:
    from inplace_guard.runtime.guard import guard

__all__ = ["Handle", "Watch"]


class Watch:
    """Guards one stretch of code at a time (a test), with one memory for all of them."""

    def __init__(self, *, every_call: bool = False) -> None:
        self._every_call = every_call
        self._guard: guard | None = None
        self._done: list[Finding] = []
        self._choices = Choices()
        self._thread = 0
        self._waiting: ImportWatch | None = None
        self._memory: Any = None
        self._anomaly: tuple[bool, bool] | None = None

    @property
    def findings(self) -> list[Finding]:
        """Of the stretch that runs, or of the last one."""
        return self._guard.findings if self._guard is not None else self._done

    def handle(self) -> Handle:
        """What the fixture gives: the guard, which may not be there yet."""
        return Handle(self)

    def clear(self) -> None:
        self._done = []

    def start(self, choices: Choices) -> None:
        self._choices = choices
        self._done = []
        self._thread = threading.get_ident()
        if "torch" in sys.modules and not half_imported("torch"):
            self._activate()
        else:
            self._waiting = ImportWatch("torch", self._on_import)
            self._waiting.start()

    def close_inner(self) -> int:
        """Close the guards that were left open inside, and tell how many there were."""
        return self._guard.close_inner() if self._guard is not None else 0

    def stop(self) -> None:
        if self._waiting is not None:
            self._waiting.stop()
            self._waiting = None
        if self._guard is None:
            return
        done, self._guard = self._guard, None
        self._done = done.findings
        if self._anomaly is not None:
            import torch

            torch.autograd.set_detect_anomaly(*self._anomaly)
            self._anomaly = None
        done.close_inner()
        done.__exit__(None, None, None)

    def _on_import(self) -> None:
        if threading.get_ident() == self._thread and self._guard is None:
            self._activate()

    def _activate(self) -> None:
        from inplace_guard.runtime.guard import guard

        self._guard = guard(
            mode=self._choices.mode,
            content=self._choices.content,
            allow=self._choices.allow,
            raise_on=self._choices.raise_on,
            memory=self._memory,
        )
        self._guard.__enter__()
        self._memory = self._guard.memory
        self._memory.recorder.every_call = self._every_call
        if self._choices.anomaly:
            import torch

            self._anomaly = (torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
            torch.autograd.set_detect_anomaly(True, check_nan=False)


class Handle:
    """The guard of a test, as its fixture shows it."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    @property
    def findings(self) -> list[Finding]:
        return self._watch.findings
