"""`torch.jit.trace` runs without the recorder, whose frames it would take for the source of the traced operations."""

from __future__ import annotations

import functools
from typing import Any

import torch

from inplace_guard.runtime import active
from inplace_guard.runtime.patches import Patch
from inplace_guard.runtime.recorder import AWAY

__all__ = ["patches"]


def patches() -> list[Patch]:
    return [Patch(torch.jit, name, _wrap) for name in ("trace", "trace_module", "_get_trace_graph")]


def _wrap(original: Any) -> Any:
    @functools.wraps(original)
    def trace(*args: Any, **kwargs: Any) -> Any:
        session = active.current()
        if session is None or session.recorder.suspended:
            return original(*args, **kwargs)
        session.recorder.suspend(AWAY)
        try:
            return original(*args, **kwargs)
        finally:
            session.recorder.resume()

    return trace
