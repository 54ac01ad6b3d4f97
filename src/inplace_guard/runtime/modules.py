"""What a person calls a module: its path from the outermost module that holds it."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import torch

__all__ = ["ModulePaths"]

Reference = weakref.ref[torch.nn.Module] | None


class ModulePaths:
    """Paths of the modules alive now. Looks through all objects once, so make one only for a report."""

    def __init__(self) -> None:
        self._parents: dict[int, tuple[Any, str]] | None = None

    def path(self, reference: Reference) -> str | None:
        """`blocks.0.ln1`; the class name for a module that nothing holds; None if it is gone."""
        module = reference() if reference is not None else None
        if module is None:
            return None
        return ".".join(name for _, name in reversed(self.holders(module))) or type(module).__name__

    def holders(self, module: torch.nn.Module) -> list[tuple[Any, str]]:
        """The modules around this one, innermost first, each with the name under which it holds the next."""
        if self._parents is None:
            self._parents = _parents()
        found: list[tuple[Any, str]] = []
        seen: set[int] = set()
        current: Any = module
        while id(current) in self._parents and id(current) not in seen:
            seen.add(id(current))
            holder, name = self._parents[id(current)]
            found.append((holder, name))
            current = holder
        return found


def _parents() -> dict[int, tuple[Any, str]]:
    parents: dict[int, tuple[Any, str]] = {}
    is_module: dict[type, bool] = {}
    for item in gc.get_objects():
        kind = type(item)
        known = is_module.get(kind)
        if known is None:
            known = is_module[kind] = issubclass(kind, torch.nn.Module)
        if known:
            for name, child in item.__dict__.get("_modules", {}).items():
                if child is not None:
                    parents.setdefault(id(child), (item, name))
    return parents
