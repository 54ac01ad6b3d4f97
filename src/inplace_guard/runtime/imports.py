"""To be called back when a module has been imported. Does not import torch."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Sequence
from types import ModuleType

__all__ = ["ImportWatch", "half_imported"]


def half_imported(name: str) -> bool:
    """Whether its import is in progress."""
    spec = getattr(sys.modules.get(name), "__spec__", None)
    return bool(getattr(spec, "_initializing", False))


class ImportWatch(importlib.abc.MetaPathFinder):
    """Lets everybody else find the module, and calls back when its import is over."""

    def __init__(self, module: str, callback: Callable[[], None]) -> None:
        self._module = module
        self._callback = callback
        self._busy = False

    def start(self) -> None:
        sys.meta_path.insert(0, self)

    def stop(self) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != self._module or self._busy:
            return None
        self._busy = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._busy = False
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec, spec.loader, self._callback)
        return spec


class _Loader(importlib.abc.Loader):
    def __init__(
        self, spec: importlib.machinery.ModuleSpec, loader: importlib.abc.Loader, callback: Callable[[], None]
    ) -> None:
        self._spec, self._loader, self._callback = spec, loader, callback

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._spec.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._callback()
