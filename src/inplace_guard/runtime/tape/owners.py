"""What a person calls the modules, parameters and buffers behind a graph."""

from __future__ import annotations

import gc
import weakref
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import torch

from inplace_guard.runtime.memory import base_of
from inplace_guard.runtime.modules import ModulePaths

__all__ = ["Names", "Owner"]


class Owner(NamedTuple):
    name: str
    parameter: bool


class Names:
    """Paths from the outermost module. If several such modules with children ran, the path starts with the class.

    `ran`: the modules that ran, where they are known; the outermost of all then has no name of its own.
    """

    def __init__(self, ran: Iterable[torch.nn.Module] | None = None) -> None:
        self._paths = ModulePaths()
        roots = {id(root): root for module in ran or () for root in [self._root(module)]}
        parents = [root for root in roots.values() if any(True for _ in root.children())]
        self._prefixes: dict[int, str] = {}
        if len(parents) == 1:
            self._prefixes[id(parents[0])] = ""
        else:
            count = Counter[str]()
            for root in parents:
                name = type(root).__name__
                count[name] += 1
                self._prefixes[id(root)] = name if count[name] == 1 else f"{name}_{count[name]}"

    @property
    def paths(self) -> ModulePaths:
        return self._paths

    def module(self, module: torch.nn.Module | None) -> str | None:
        if module is None:
            return None
        below = [name for _, name in reversed(self._paths.holders(module))]
        prefix = self._prefixes.get(id(self._root(module)))
        if prefix is None:
            return self._paths.path(weakref.ref(module))
        return ".".join(([prefix] if prefix else []) + below)

    def owners(self) -> dict[int, Owner]:
        """Address of a storage -> the parameter or buffer of any module alive that lives there."""
        found: dict[int, Owner] = {}
        is_module: dict[type, bool] = {}
        for item in gc.get_objects():
            kind = type(item)
            known = is_module.get(kind)
            if known is None:
                known = is_module[kind] = issubclass(kind, torch.nn.Module)
            if not known or "_parameters" not in item.__dict__:
                continue
            for held, parameter in ((item._parameters, True), (item._buffers, False)):
                for name, tensor in held.items():
                    base = base_of(tensor) if isinstance(tensor, torch.Tensor) else 0
                    if base and (base not in found or (parameter and not found[base].parameter)):
                        found[base] = Owner(self._of(item, name), parameter)
        return found

    def _of(self, module: torch.nn.Module, name: str) -> str:
        path = self.module(module) if self._paths.holders(module) or id(module) in self._prefixes else ""
        return f"{path}.{name}" if path else name

    def _root(self, module: torch.nn.Module) -> torch.nn.Module:
        holders = self._paths.holders(module)
        root: torch.nn.Module = holders[-1][0] if holders else module
        return root
