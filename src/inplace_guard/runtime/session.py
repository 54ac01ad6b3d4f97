"""One guard at work: its recorder, and what it does when a backward fails."""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import Any

from inplace_guard.findings import Finding
from inplace_guard.runtime.capture import here, site
from inplace_guard.runtime.compat import remove_mode
from inplace_guard.runtime.explain import enrich, from_hits
from inplace_guard.runtime.graphwalk import roots_of
from inplace_guard.runtime.modules import ModulePaths
from inplace_guard.runtime.postmortem import clobbered
from inplace_guard.runtime.recorder import Recorder

__all__ = ["Session"]


class Session:
    def __init__(self, recorder: Recorder, findings: list[Finding]) -> None:
        self.recorder = recorder
        self.findings = findings

    def backward(
        self,
        original: Callable[..., Any],
        outputs: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        frame: FrameType,
    ) -> Any:
        on = self._mode_is_on()
        if not on:
            self.recorder.__enter__()
        try:
            return original(outputs, *args, **kwargs)
        except RuntimeError as error:
            self.explain_backward(error, outputs, frame)
            raise
        finally:
            if not on:
                remove_mode(self.recorder)

    def explain_backward(self, error: RuntimeError, outputs: Any, frame: FrameType) -> None:
        place = here(frame)
        if place is None or getattr(error, "_inplace_guard", False):
            return
        paths = ModulePaths()
        hits = clobbered(roots_of(outputs), self.recorder.journal)
        if not hits:
            return
        found = from_hits(hits, site(place, op="backward"), paths)
        self.report(error, found)

    def report(self, error: BaseException, found: list[Finding]) -> None:
        self.findings.extend(found)
        enrich(error, found)
        error._inplace_guard = True  # type: ignore[attr-defined]

    def _mode_is_on(self) -> bool:
        import torch

        stack = torch.overrides._get_current_function_mode_stack()  # type: ignore[attr-defined]
        return any(mode is self.recorder for mode in stack)
