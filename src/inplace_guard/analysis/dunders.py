"""Operators on instances of classes whose code is seen: `a + b` and `a += b` call methods."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from inplace_guard.analysis import calls
from inplace_guard.analysis.values import Func, Obj, Value

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter

NAMES: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
}


def binary(it: Interpreter, op: type[ast.operator], left: Value, right: Value, node: ast.AST) -> Value | None:
    """`left op right`; None if neither has a method for it."""
    for owner, prefix, other in ((left, "", right), (right, "r", left)):
        value = method(it, owner, f"__{prefix}{NAMES[op]}__", other, node)
        if value is not None:
            return value
    return None


def augmented(it: Interpreter, op: type[ast.operator], current: Value, value: Value, node: ast.AST) -> Value | None:
    """`current op= value`, by `__iadd__` and the like."""
    return method(it, current, f"__i{NAMES[op]}__", value, node)


def method(it: Interpreter, owner: Value, name: str, other: Value, node: ast.AST) -> Value | None:
    found = owner.cls.method(name) if isinstance(owner, Obj) else None
    if found is None:
        return None
    return calls.call_function(it, Func(found[0], found[1].frame, owner, found[1]), [other], {}, node)
