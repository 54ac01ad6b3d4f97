"""What a person calls the modules, parameters and buffers behind a graph."""

from __future__ import annotations

import gc
import weakref
from typing import Any, NamedTuple

import torch

from inplace_guard.runtime.memory import base_of
from inplace_guard.runtime.modules import ModulePaths

__all__ = ["ModuleName", "Names", "Owner", "owners"]


class Owner(NamedTuple):
    name: str
    parameter: bool


class ModuleName(NamedTuple):
    """A path from the outermost module, which is given by its number; empty for that module itself."""

    top: int
    path: str


class Names:
    """Remembers the names of modules that run and keeps none of them alive: a report may come after they died."""

    def __init__(self) -> None:
        self._tops: list[tuple[weakref.ref[torch.nn.Module], str, bool]] = []  # its class, has it children
        self._modules: dict[int, tuple[weakref.ref[torch.nn.Module], ModuleName]] = {}
        self._tensors: list[tuple[weakref.ref[torch.Tensor], ModuleName, bool]] = []

    def of(self, module: torch.nn.Module) -> ModuleName:
        known = self._modules.get(id(module))
        if known is None or known[0]() is not module:
            self._meet(module)
            known = self._modules[id(module)]
        return known[1]

    def _meet(self, module: torch.nn.Module) -> None:
        holders = ModulePaths().holders(module)
        top: torch.nn.Module = holders[-1][0] if holders else module
        number = next((index for index, entry in enumerate(self._tops) if entry[0]() is top), len(self._tops))
        if number == len(self._tops):
            self._tops.append((weakref.ref(top), type(top).__name__, any(True for _ in top.children())))
        for path, inner in top.named_modules():
            self._modules[id(inner)] = weakref.ref(inner), ModuleName(number, path)
        for parameter, held in ((True, top.named_parameters()), (False, top.named_buffers())):
            self._tensors += [(weakref.ref(tensor), ModuleName(number, path), parameter) for path, tensor in held]

    def shown(self, name: ModuleName | None) -> str | None:
        """With several outermost modules that have children, each path starts with the class."""
        if name is None:
            return None
        parents = [index for index, (_, _, parent) in enumerate(self._tops) if parent]
        kind = self._tops[name.top][1]
        if name.top not in parents:
            return f"{kind}.{name.path}" if name.path else kind
        if len(parents) == 1:
            return name.path
        same = [index for index in parents if self._tops[index][1] == kind]
        prefix = kind if name.top == same[0] else f"{kind}_{same.index(name.top) + 1}"
        return f"{prefix}.{name.path}" if name.path else prefix

    def owners(self) -> dict[int, Owner]:
        """Address of a storage -> the parameter or buffer there, of modules that ran and tensors that live."""
        found: dict[int, Owner] = {}
        for reference, name, parameter in self._tensors:
            tensor = reference()
            base = base_of(tensor) if tensor is not None else 0
            if base and (base not in found or (parameter and not found[base].parameter)):
                alone = self._tops[name.top][2] is False
                found[base] = Owner(name.path if alone else self.shown(name) or "", parameter)
        return found


def owners(paths: ModulePaths) -> dict[int, Owner]:
    """The same, of all modules alive."""
    found: dict[int, Owner] = {}
    for module in _modules():
        holders = paths.holders(module)
        path = ".".join(name for _, name in reversed(holders))
        for held, parameter in ((module._parameters, True), (module._buffers, False)):
            for name, tensor in held.items():
                base = base_of(tensor) if isinstance(tensor, torch.Tensor) else 0
                if base and (base not in found or (parameter and not found[base].parameter)):
                    found[base] = Owner(f"{path}.{name}" if path else name, parameter)
    return found


def _modules() -> list[Any]:
    is_module: dict[type, bool] = {}
    found = []
    for item in gc.get_objects():
        kind = type(item)
        known = is_module.get(kind)
        if known is None:
            known = is_module[kind] = issubclass(kind, torch.nn.Module)
        if known and "_parameters" in item.__dict__:
            found.append(item)
    return found
