"""The dynamic half: who saved, who wrote, which backward needed it. Torch is imported when a guard is first made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inplace_guard.runtime.errors import InplaceHazardError

if TYPE_CHECKING:
    from inplace_guard.runtime.frozen import frozen
    from inplace_guard.runtime.guard import guard
    from inplace_guard.runtime.script import run_script
    from inplace_guard.runtime.tape import tape

__all__ = ["InplaceHazardError", "frozen", "guard", "run_script", "tape"]

_HOMES = {"guard": "guard", "frozen": "frozen", "run_script": "script", "tape": "tape"}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        import importlib

        return getattr(importlib.import_module(f"inplace_guard.runtime.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
