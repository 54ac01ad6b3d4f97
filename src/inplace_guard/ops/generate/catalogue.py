"""Every public callable of torch that takes or makes tensors, with its Python signatures."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as F
import torch.utils.dlpack

from inplace_guard.ops.generate.binding import python_param
from inplace_guard.ops.generate.handwritten import DUNDERS, FUNCTIONS, LEFT_OUT, METHODS
from inplace_guard.ops.generate.signatures import Signature
from inplace_guard.ops.model import Param

MODULES: dict[str, Any] = {
    "torch": torch,
    "torch.nn.functional": F,
    "torch.nn.init": torch.nn.init,
    "torch.linalg": torch.linalg,
    "torch.fft": torch.fft,
    "torch.special": torch.special,
    "torch.sparse": torch.sparse,
    "torch.nn.utils": torch.nn.utils,
    "torch.utils.dlpack": torch.utils.dlpack,
}
_PRIVATE = ("_foreach_", "_fused_", "_amp_")


@dataclass
class Callable_:
    """One public callable. `native` overloads come from the schemas, others from Python signatures."""

    dotted: str
    function: Callable[..., Any]
    native: list[Signature] = field(default_factory=list)
    params: list[tuple[Param, ...]] = field(default_factory=list)
    defaults: dict[str, Any] = field(default_factory=dict)
    same_as: str = ""  # an operator: the method whose samples it takes


def load(signatures: dict[str, list[Signature]]) -> dict[str, Callable_]:
    """All callables by dotted name."""
    found: dict[str, Callable_] = {}
    homes = {id(_resolve(dotted)): dotted for dotted in signatures if not dotted.startswith("torch.Tensor.")}
    homes.pop(id(None), None)
    for module, name, function in _functions():
        dotted = f"{module}.{name}"
        if dotted in LEFT_OUT:
            continue
        entry = Callable_(dotted, function)
        native = signatures.get(dotted) or signatures.get(homes.get(id(function), ""))
        if dotted in FUNCTIONS:
            entry.params = [tuple(params) for params in FUNCTIONS[dotted]]
        elif native and not inspect.isfunction(function):
            entry.native = native
        else:
            entry.params, entry.defaults = _python_params(function)
        if entry.native or entry.params:
            found[dotted] = entry
    for name in dir(torch.Tensor):
        member = inspect.getattr_static(torch.Tensor, name, None)
        if not callable(member) and not isinstance(member, (staticmethod, classmethod)):
            continue
        dotted = f"torch.Tensor.{name}"
        if dotted in LEFT_OUT or (name.startswith("_") and not name.startswith("__")):
            continue
        entry = Callable_(dotted, getattr(torch.Tensor, name))
        if name in METHODS:
            entry.params = [tuple(params) for params in METHODS[name]]
        elif name in DUNDERS:
            entry.same_as = f"torch.Tensor.{DUNDERS[name]}"
            entry.native = signatures.get(entry.same_as, [])
        elif dotted in signatures and not inspect.isfunction(member):
            entry.native = signatures[dotted]
        elif inspect.isfunction(member) and not name.startswith("__"):
            entry.params, entry.defaults = _python_params(member)
        if entry.native or entry.params:
            found[dotted] = entry
    return found


def _functions() -> Iterator[tuple[str, str, Callable[..., Any]]]:
    for module_name, module in MODULES.items():
        for name in sorted(dir(module)):
            if name.startswith("_") and not name.startswith(_PRIVATE):
                continue
            function = getattr(module, name)
            if isinstance(function, (type, types.ModuleType)) or not callable(function):
                continue
            if _foreign(function):
                continue
            yield module_name, name, function


def _foreign(function: Any) -> bool:
    home = getattr(function, "__module__", None) or "torch"
    return not home.startswith("torch")


def _resolve(dotted: str) -> Any:
    value: Any = torch
    for part in dotted.split(".")[1:]:
        value = getattr(value, part, None)
    return value


def _python_params(function: Callable[..., Any]) -> tuple[list[tuple[Param, ...]], dict[str, Any]]:
    """Parameters and defaults of a Python function; those of max_pool2d and its kin are in `boolean_dispatch`."""
    try:
        inner = inspect.getclosurevars(function).nonlocals.get("if_false") if inspect.isfunction(function) else None
        signature = inspect.signature(inner or function)
    except (TypeError, ValueError):
        return [], {}
    params = tuple(python_param(p) for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD)
    defaults = {p.name: p.default for p in signature.parameters.values() if p.default is not p.empty}
    return [params], defaults
