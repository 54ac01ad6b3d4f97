"""Imported names as values: what another file of the project defines, or a name to know it by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inplace_guard import ops
from inplace_guard.analysis import expressions, torch_names, torch_ops
from inplace_guard.analysis.scope import Scope, canonical
from inplace_guard.analysis.values import File, Name, Value

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter


def value(it: Interpreter, scope: Scope, dotted: str) -> Value:
    """What a dotted name stands for that `scope` imports."""
    if scope.project is None or known(dotted):
        return Name(dotted)
    found = scope.project.lookup(scope, dotted)
    if found is None:
        return Name(dotted)
    return member(it, found.scope, found.name, dotted) if found.name else File(dotted, found.scope)


def known(dotted: str) -> bool:
    """Whether it is described by name."""
    if not dotted.startswith("torch."):
        return False
    if dotted.startswith("torch.nn.functional."):
        return True
    public = dotted.startswith(("torch.nn.", "torch.optim.")) and dotted.count(".") == 2
    described = dotted in torch_names.HANDLERS or torch_ops.find(dotted) is not None or ops.module(dotted) is not None
    return described or (public and dotted.rpartition(".")[2][:1].isupper())


def member(it: Interpreter, scope: Scope, name: str, dotted: str) -> Value:
    """A name of the top level of another file."""
    bearer = scope.bearer(name)
    if not bearer.names(name):
        return Name(dotted)
    caller, it.frame = it.frame, it.top(bearer)
    try:
        return expressions.top_level(it, name)
    finally:
        it.frame = caller


def attribute(it: Interpreter, module: Name, name: str) -> Value:
    """`module.name`."""
    dotted = canonical(f"{module.dotted}.{name}")
    if not isinstance(module, File):
        return value(it, it.scope, dotted)
    if module.scope.has(name):
        return member(it, module.scope, name, dotted)
    return value(it, module.scope, dotted)
