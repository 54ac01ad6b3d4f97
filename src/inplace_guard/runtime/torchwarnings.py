"""PyTorch's own warnings, attributed to the line that they would name without the guard.

They name the innermost Python frame, which under a function mode is the mode's. So a warning that names a file of ours
is issued anew for the frame around it, and goes through the filters once more, with that frame's module and registry.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from types import FrameType
from typing import Any

from inplace_guard.runtime.careful import GuardFault
from inplace_guard.runtime.patches import Patch

__all__ = ["patches"]

_OWN = os.path.join(os.path.dirname(__file__), "")


def patches() -> list[Patch]:
    return [Patch(warnings, "_showwarnmsg", _wrap)] if hasattr(warnings, "_showwarnmsg") else []


def _wrap(original: Callable[[Any], None]) -> Callable[[Any], None]:
    def _showwarnmsg(message: Any) -> None:
        frame = _caller() if message.filename.startswith(_OWN) and message.category is not GuardFault else None
        if frame is None:
            original(message)
            return
        _forget(message.filename)
        warnings.warn_explicit(
            message.message,
            message.category,
            frame.f_code.co_filename,
            frame.f_lineno,
            frame.f_globals.get("__name__"),
            frame.f_globals.setdefault("__warningregistry__", {}),
            frame.f_globals,
            message.source,
        )

    return _showwarnmsg


def _caller() -> FrameType | None:
    """The frame around the innermost frames of ours, from the one that the warning named."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and not frame.f_code.co_filename.startswith(_OWN):
        frame = frame.f_back
    while frame is not None and frame.f_code.co_filename.startswith(_OWN):
        frame = frame.f_back
    return frame


def _forget(path: str) -> None:
    """That this warning was shown for a line of ours must not keep the next one from being shown for another's."""
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) == path:
            getattr(module, "__warningregistry__", {}).clear()
            return
