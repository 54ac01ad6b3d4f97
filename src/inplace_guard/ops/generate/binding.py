"""Match a sample's arguments with a signature, as PyTorch's argument parser does."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from inplace_guard.ops.model import Param


@dataclass
class Bound:
    """Arguments by parameter name, and how to pass them again."""

    arguments: dict[str, Any]
    positional: tuple[str, ...]
    star: str = ""
    defaults: dict[str, Any] = field(default_factory=dict)

    def values(self) -> dict[str, Any]:
        """Given and default values; of tensors only that they are there."""
        values = {name: True if isinstance(v, torch.Tensor) else v for name, v in self.arguments.items()}
        return {**self.defaults, **values}

    def call(self, function: Callable[..., Any], given: dict[str, Any]) -> Any:
        args = [given[name] for name in self.positional]
        if self.star:
            args += list(given[self.star])
        named = {n: v for n, v in given.items() if n not in self.positional and n != self.star}
        return function(*args, **named)


def bind(
    params: Sequence[Param], args: Sequence[Any], kwargs: dict[str, Any], defaults: dict[str, Any]
) -> Bound | None:
    """The arguments by name, or None if this signature does not take them."""
    arguments: dict[str, Any] = {}
    positional: list[str] = []
    star = ""
    places = [p for p in params if not p.kwarg_only]
    rest = list(args)
    for param in places:
        if not rest:
            break
        if param.kind == "*":
            arguments[param.name], rest, star = tuple(rest), [], param.name
            break
        if param.kind in ("int[]", "int[]?") and all(isinstance(a, int) for a in rest) and len(rest) > 1:
            following = places[places.index(param) + 1 :]
            if not following or len(rest) > len(following) + 1 or param.kind == "int[]":
                if len(places) - len(following) > 2:
                    return None
                arguments[param.name], rest, star = tuple(rest), [], param.name
                break
        value = rest.pop(0)
        if not fits(param.kind, value):
            return None
        arguments[param.name] = value
        positional.append(param.name)
    if rest:
        return None
    by_name = {p.name: p for p in params}
    for name, value in kwargs.items():
        param_named = by_name.get(name)
        if param_named is None or name in arguments or not fits(param_named.kind, value):
            return None
        arguments[name] = value
    if any(p.required and p.name not in arguments and p.kind != "*" for p in params):
        return None
    return Bound(arguments, tuple(positional), star, defaults)


def fits(kind: str, value: Any) -> bool:
    """Whether a value may be given for a parameter of this schema kind."""
    if kind in ("any", "*"):
        return True
    if value is None:
        return kind.endswith("?")
    base = kind.removesuffix("?")
    if base == "Tensor":
        return isinstance(value, torch.Tensor)
    if base == "Tensor[]":
        return isinstance(value, (list, tuple)) and all(v is None or isinstance(v, torch.Tensor) for v in value)
    if base == "Scalar":
        return isinstance(value, (bool, int, float, complex))
    if base == "int":
        return isinstance(value, int) and not isinstance(value, bool)
    if base == "float":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if base == "bool":
        return isinstance(value, bool)
    if base == "str":
        return isinstance(value, str)
    if base == "dtype":
        return isinstance(value, torch.dtype)
    if base == "int[]":
        return isinstance(value, int) or (
            isinstance(value, (list, tuple)) and all(isinstance(v, int) and not isinstance(v, bool) for v in value)
        )
    if base.endswith("[]"):
        items = value if isinstance(value, (list, tuple)) else [value]
        return all(isinstance(item, (int, float, complex)) for item in items)
    return not isinstance(value, (torch.Tensor, int, float))


def python_param(parameter: inspect.Parameter) -> Param:
    """A parameter of a Python function; its kind comes from the annotation. `self` is the tensor of a method."""
    if parameter.name == "self":
        return Param("self", "Tensor")
    kind = "*" if parameter.kind is parameter.VAR_POSITIONAL else _annotation(parameter.annotation)
    required = parameter.default is parameter.empty and kind != "*"
    return Param(parameter.name, kind, required, parameter.kind is parameter.KEYWORD_ONLY)


def _annotation(annotation: Any) -> str:
    if annotation in (torch.Tensor, "Tensor", "torch.Tensor"):
        return "Tensor"
    text = str(annotation)
    optional = "?" if "Optional" in text or "None" in text else ""
    if text in ("typing.Optional[torch.Tensor]", "Tensor | None", "torch.Tensor | None", "Optional[Tensor]"):
        return "Tensor?"
    for name in ("bool", "int", "float", "str"):
        if text in (f"<class '{name}'>", name, f"typing.Optional[{name}]", f"{name} | None"):
            return name + optional
    return "any"
