"""`and`, `or`, comparisons and conditional expressions."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from inplace_guard.analysis import expressions, joins
from inplace_guard.analysis.values import (
    NO,
    NUMBER,
    PERHAPS,
    Array,
    Class,
    Const,
    Dict,
    Func,
    Index,
    Module,
    Number,
    Obj,
    Optimizer,
    Seq,
    Tensor,
    Value,
)

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter

COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def boolean(it: Interpreter, node: ast.BoolOp) -> Value:
    want = isinstance(node.op, ast.Or)
    result: Value | None = None
    for part in node.values:
        value = it.eval(part)
        known = expressions.truth(it, value)
        if known is want:  # the rest is not evaluated
            if result is None or (isinstance(value, Const) and value.value is want):
                return value  # whatever stands before a False in `and`, a True in `or`: the truth of the whole is known
            return expressions.join_values(it, result, value)
        if known is None:
            result = value if result is None else expressions.join_values(it, result, value)
    return result if result is not None else value


def compare(it: Interpreter, node: ast.Compare) -> Value:
    left = it.eval(node.left)
    rights = [it.eval(part) for part in node.comparators]
    if len(rights) > 1:
        return NUMBER
    right, op = rights[0], node.ops[0]
    if isinstance(op, ast.Is | ast.IsNot):
        known = identical(it, left, right)
        return NUMBER if known is None else Const(known is isinstance(op, ast.Is))
    if isinstance(op, ast.In | ast.NotIn):
        if isinstance(right, Dict) and isinstance(left, Const) and "*" not in it.entries(right):
            return Const((left.value in it.entries(right)) is isinstance(op, ast.In))
        if isinstance(right, Seq) and right.kind == "tuple" and isinstance(left, Const):
            items = it.items(right)
            if not it.heap.get((right.oid, "open")) and all(isinstance(item, Const) for item in items):
                found = any(isinstance(item, Const) and item.value == left.value for item in items)
                return Const(found is isinstance(op, ast.In))
        return NUMBER
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        # `n == 3` on something that may be a number says nothing; on a tensor it makes a mask.
        sure = any(isinstance(x, Tensor) and it.sure(x) for x in (left, right))
        return it.tensor(NO, kind="bool", sure=sure)
    if isinstance(left, Const) and isinstance(right, Const) and type(op) in COMPARISONS:
        try:
            return Const(bool(COMPARISONS[type(op)](left.value, right.value)))
        except TypeError:
            return NUMBER
    if (
        isinstance(left, Index)
        and isinstance(right, Const)
        and isinstance(right.value, int)
        and type(op) in COMPARISONS
    ):
        # The same for the least that it can be and for anything beyond, or not known.
        answers = {bool(COMPARISONS[type(op)](n, right.value)) for n in (left.least, left.least + 1, 1 << 62)}
        exact = isinstance(op, ast.Eq | ast.NotEq) and right.value >= left.least
        return Const(answers.pop()) if len(answers) == 1 and not exact else NUMBER
    return NUMBER


def identical(it: Interpreter, left: Value, right: Value) -> bool | None:
    for a, b in ((left, right), (right, left)):
        if isinstance(a, Const) and a.value is None:
            if isinstance(b, Const):
                return b.value is None
            if isinstance(b, Tensor):
                return False if b.sure else None
            if b is PERHAPS:
                return None
            if isinstance(b, Seq | Dict | Module | Obj | Func | Class | Number | Optimizer | Array):
                return False
            return None
    if isinstance(left, Const) and isinstance(right, Const):
        return left.value is right.value
    return None


def choice(it: Interpreter, node: ast.IfExp) -> Value:
    known = expressions.truth(it, it.eval(node.test))
    if known is not None:
        return it.eval(node.body if known else node.orelse)
    before = it.fork()
    first = it.eval(node.body)
    after = it.current()
    it.resume(before)
    second = it.eval(node.orelse)
    result = joins.join(it, first, second, after[0], it.heap)
    it.join([after, it.current()])
    return result
