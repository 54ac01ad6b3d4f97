"""Registries: what the decorators of classes put into an object or a dict of the top level (`@ACTS.register("relu")`)
before anybody looks something up there."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from inplace_guard.analysis import calls, expressions
from inplace_guard.analysis.scope import Scope
from inplace_guard.analysis.values import Class, Func, Obj, Partial

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter


def fill(it: Interpreter, identifier: str) -> None:
    """The running file asks for a name of its top level: if it is a registry, it has all that the file registers."""
    scope = it.scope
    if scope in it.registered or identifier not in registries(scope):
        return
    it.registered.add(scope)
    for definition in scope.defs.values():
        if isinstance(definition, ast.ClassDef) and definition.decorator_list:
            register(it, definition)
        elif definition.decorator_list:
            expressions.top_level(it, definition.name)  # its decorators run when it is defined


def register(it: Interpreter, node: ast.ClassDef) -> None:
    """Call the decorators of a class for what they do elsewhere; the class stays as it is."""
    it.registered.add(it.scope)
    caller, it.frame = it.frame, it.globals
    try:
        value = expressions.top_level(it, node.name)
        for decorator in reversed(node.decorator_list):
            if isinstance(value, Class) and root(decorator) is not None:
                function = it.eval(decorator)
                if isinstance(function, Func | Obj | Partial):
                    calls.call_value(it, function, [value], {}, decorator)
    finally:
        it.frame = caller


def registries(scope: Scope) -> frozenset[str]:
    """The names of the top level that decorators of this file may fill: those that they are methods of, and the dicts
    beside decorators that are functions of the file."""
    if scope.registries is None:
        found: set[str] = set()
        for definition in scope.defs.values():
            for decorator in definition.decorator_list:
                name = root(decorator)
                if name in scope.values or name in scope.imports:
                    found.add(name)
                elif name in scope.defs:
                    found |= {key for key, value in scope.values.items() if isinstance(value, ast.Dict)}
        scope.registries = frozenset(found)
    return scope.registries


def root(decorator: ast.expr) -> str | None:
    """`ACTS` of `@ACTS.register("relu")`, `register` of `@register("relu")`."""
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    owner = target.value if isinstance(target, ast.Attribute) else target
    return owner.id if isinstance(owner, ast.Name) else None
