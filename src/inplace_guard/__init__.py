"""Finds PyTorch in-place autograd hazards. Importing the package never imports torch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inplace_guard.findings import Finding, Site
    from inplace_guard.runtime import InplaceHazardError, frozen, guard, tape

__version__ = "0.1.0"

__all__ = ["Finding", "InplaceHazardError", "Site", "__version__", "frozen", "guard", "tape"]

_HOMES = {
    "Finding": "inplace_guard.findings",
    "Site": "inplace_guard.findings",
    "InplaceHazardError": "inplace_guard.runtime",
    "frozen": "inplace_guard.runtime.frozen",
    "guard": "inplace_guard.runtime.guard",
    "tape": "inplace_guard.runtime.tape",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        import importlib

        try:
            return getattr(importlib.import_module(_HOMES[name]), name)
        except ModuleNotFoundError as error:
            if error.name != "torch":
                raise
            # The base install has no torch on purpose; say how to get the other half.
            raise ImportError(
                f"inplace_guard.{name} needs PyTorch, which is not installed: pip install 'inplace-guard[runtime]'",
                name="torch",
            ) from error
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
