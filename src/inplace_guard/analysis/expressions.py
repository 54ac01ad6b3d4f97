"""Evaluating expressions."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from inplace_guard.analysis import (
    attributes,
    builtin_calls,
    calls,
    comprehensions,
    conditions,
    containers,
    definitions,
    dunders,
    generators,
    graph_rules,
    imports,
    joins,
    registries,
    torch_ops,
)
from inplace_guard.analysis.frames import Frame
from inplace_guard.analysis.values import (
    FALSE,
    NUMBER,
    TRUE,
    UNKNOWN,
    Array,
    Builtin,
    Class,
    Const,
    Dict,
    Either,
    Func,
    Lazy,
    Module,
    Number,
    Obj,
    Optimizer,
    Piece,
    Seq,
    Tensor,
    Value,
)

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter

BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.BitAnd: "bitwise_and",
    ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor",
    ast.LShift: "bitwise_left_shift",
    ast.RShift: "bitwise_right_shift",
}
ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
}
MOST_LITERALS = 100  # how many items of a list or dict that is written out are looked at


def join_values(it: Interpreter, a: Value, b: Value, heap: dict[Any, Any] | None = None) -> Value:
    return joins.join(it, a, b, it.heap, heap if heap is not None else it.heap)


def truth(it: Interpreter, value: Value) -> bool | None:
    """Whether it is true, if that is known."""
    if isinstance(value, Const):
        return bool(value.value)
    if isinstance(value, Module | Obj | Func | Class | Optimizer):
        return True
    if isinstance(value, Seq):
        if value.kind in ("sequential", "modulelist"):
            return True
        items = it.items(value)
        return None if it.heap.get((value.oid, "open")) else bool(items)
    if isinstance(value, Either):
        found = {truth(it, option) for option in value.options}
        return found.pop() if len(found) == 1 else None
    return None


def constant(it: Interpreter, node: ast.Constant) -> Value:
    return Const(node.value)


def name(it: Interpreter, node: ast.Name) -> Value:
    frame: Frame | None = it.frame
    while frame is not None:
        value = frame.locals.get(node.id)
        if value is not None:
            return value
        frame = frame.parent
    return top_level(it, node.id)


def top_level(it: Interpreter, identifier: str) -> Value:
    """A name of the file's top level that has not run (or has not run yet)."""
    value = it.globals.locals.get(identifier)
    if value is not None:
        return value
    scope = it.scope
    it.globals.locals[identifier] = UNKNOWN  # against definitions that go in a circle
    if identifier in scope.defs:
        value = definitions.define(it, scope.defs[identifier], it.globals)
    elif identifier in scope.imports:
        value = imports.value(it, scope, scope.imports[identifier])
    elif identifier in scope.values:
        caller = it.frame
        it.frame = it.globals
        try:
            value = it.eval(scope.values[identifier])
        finally:
            it.frame = caller
    elif (other := scope.star(identifier)) is not None:
        value = imports.member(it, other, identifier, identifier)
    else:
        del it.globals.locals[identifier]
        return Builtin(identifier)
    it.globals.locals[identifier] = value
    if isinstance(value, Obj | Dict):
        registries.fill(it, identifier)
    return value


def attribute(it: Interpreter, node: ast.Attribute) -> Value:
    return attributes.load(it, it.eval(node.value), node.attr, node)


def binary(it: Interpreter, node: ast.BinOp) -> Value:
    left = it.eval(node.left)
    stamp = it.stamp(left) if isinstance(left, Tensor) else 0
    right = it.eval(node.right)
    if stamp and isinstance(left, Tensor) and isinstance(right, Tensor):
        graph_rules.written_between(it, left, right, stamp)
    return binary_op(it, type(node.op), left, right, node)


def binary_op(it: Interpreter, op: type[ast.operator], left: Value, right: Value, node: ast.AST) -> Value:
    for value, other in ((left, right), (right, left)):
        if isinstance(value, Tensor) and isinstance(other, Const | Number) and setting(it, value):
            return value
    if isinstance(left, Obj) or isinstance(right, Obj):
        called = dunders.binary(it, op, left, right, node)
        return UNKNOWN if called is None else called
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        if isinstance(left, Seq | Dict | Array) or isinstance(right, Seq | Dict):
            if isinstance(left, Seq):  # list + something: no tensor after all
                return containers.concat(it, left, right)
            if isinstance(left, Array):
                return builtin_calls.new_array(it)
        if op is ast.Div and isinstance(left, Const | Number):
            # Python writes it as reciprocal() * left: what is saved is the reciprocal, not the result.
            inverse = torch_ops.apply(it, "torch.reciprocal", [right], {}, node)
            return torch_ops.apply(it, "torch.mul", [inverse, left], {}, node)
        if op is ast.Sub and isinstance(left, Const | Number):
            return torch_ops.apply(it, "torch.neg", [right], {}, node)
        if op in (ast.Mult, ast.Add) and isinstance(left, Const | Number):
            left, right = right, left
        return torch_ops.apply(it, f"torch.{BINARY[op]}", [left, right], {}, node)
    if isinstance(left, Const) and isinstance(right, Const):
        return fold(op, left.value, right.value)
    if isinstance(left, Array) or isinstance(right, Array):
        return builtin_calls.new_array(it)
    if isinstance(left, Seq):
        if op is ast.Add:
            return containers.concat(it, left, right)
        if op is ast.Mult:
            return containers.repeat(it, left, right)
    if isinstance(right, Seq) and op is ast.Mult:
        return containers.repeat(it, right, left)
    if isinstance(left, Dict) and op is ast.BitOr:
        return containers.merge(it, it.dict_(dict(it.entries(left)), left.kind), right)
    if isinstance(left, Const | Number) and isinstance(right, Const | Number):
        return NUMBER
    return UNKNOWN


def setting(it: Interpreter, value: Tensor) -> bool:
    """An attribute of which nothing is known: arithmetic with numbers suggests that it is a number as well."""
    return value.origin in ("attribute", "init") and not value.nodes and not it.sure(value)


def fold(op: type[ast.operator], a: Any, b: Any) -> Value:
    small = int | float
    if op in ARITHMETIC and isinstance(a, small) and isinstance(b, small) and abs(a) < 1e9 and abs(b) < 1e9:
        try:
            return Const(ARITHMETIC[op](a, b))
        except ArithmeticError:
            return NUMBER
    return NUMBER


def unary(it: Interpreter, node: ast.UnaryOp) -> Value:
    value = it.eval(node.operand)
    if isinstance(node.op, ast.Not):
        known = truth(it, value)
        return NUMBER if known is None else Const(not known)
    if isinstance(value, Tensor):
        if isinstance(node.op, ast.UAdd):
            return value
        op = "torch.neg" if isinstance(node.op, ast.USub) else "torch.bitwise_not"
        return torch_ops.apply(it, op, [value], {}, node)
    if isinstance(value, Const) and isinstance(node.op, ast.USub) and isinstance(value.value, int | float):
        return Const(-value.value)
    return value if isinstance(value, Array) else NUMBER


def subscript(it: Interpreter, node: ast.Subscript) -> Value:
    base = it.eval(node.value)
    index = it.eval(node.slice)
    return containers.item(it, base, index, node)


def slice_(it: Interpreter, node: ast.Slice) -> Value:
    parts = [it.eval(part) if part is not None else None for part in (node.lower, node.upper, node.step)]
    plain = [part.value if isinstance(part, Const) else None for part in parts]
    exact = all(part is None or isinstance(part, Const) for part in parts)
    return Const(slice(*plain)) if exact else Piece((it.frame, ast.dump(node)))


def listing(kind: str) -> Callable[[Interpreter, Any], Value]:
    def evaluate(it: Interpreter, node: ast.List | ast.Tuple | ast.Set) -> Value:
        items: list[Value] = []
        open_end = False
        for part in node.elts[:MOST_LITERALS]:
            if isinstance(part, ast.Starred):
                inner, more = containers.iterate(it, it.eval(part.value), part)
                items += inner
                open_end = open_end or more
            else:
                value = it.eval(part)
                # A name keeps the time at which it was bound.
                fresh = isinstance(part, ast.Call | ast.Attribute) or not isinstance(value, Tensor) or not value.stamp
                items.append(containers.kept(it, value) if fresh else value)
        return it.seq(items, kind, open_end or len(node.elts) > MOST_LITERALS)

    return evaluate


def dictionary(it: Interpreter, node: ast.Dict) -> Value:
    entries: dict[Any, Value] = {"*": UNKNOWN} if len(node.keys) > MOST_LITERALS else {}
    for key, value in list(zip(node.keys, node.values, strict=True))[:MOST_LITERALS]:
        evaluated = containers.kept(it, it.eval(value))
        if key is None:
            entries.update(it.entries(evaluated) if isinstance(evaluated, Dict) else {"*": UNKNOWN})
            continue
        const = it.eval(key)
        entries[const.value if isinstance(const, Const) and hashable(const.value) else "*"] = evaluated
    return it.dict_(entries)


def hashable(value: Any) -> bool:
    return isinstance(value, str | int | float | bool | None)


def function(it: Interpreter, node: ast.Lambda) -> Value:
    return Func(node, it.frame)


def named(it: Interpreter, node: ast.NamedExpr) -> Value:
    value = it.eval(node.value)
    it.frame.locals[node.target.id] = value
    return value


def yielded(it: Interpreter, node: ast.Yield) -> Value:
    value = it.eval(node.value) if node.value is not None else UNKNOWN
    if it.frame.on_yield is not None:
        return it.frame.on_yield(value)
    if it.frame.yields is not None:
        it.frame.yields.append(containers.kept(it, value))
    return UNKNOWN


def yielded_from(it: Interpreter, node: ast.YieldFrom) -> Value:
    source, on_yield = it.eval(node.value), it.frame.on_yield
    if isinstance(source, Lazy) and on_yield is not None:
        generators.inline(it, source, lambda value: on_yield(value) is UNKNOWN)
        return UNKNOWN
    items, _ = containers.iterate(it, source, node)
    if on_yield is not None:
        for item in items:
            on_yield(item)
    if it.frame.yields is not None:
        it.frame.yields.extend(items)
    return UNKNOWN


def text(it: Interpreter, node: ast.JoinedStr) -> Value:
    """An f-string: known if all its parts are (`f"layer{i}"` names an attribute)."""
    parts: list[str] = []
    for part in node.values:
        inner = part.value if isinstance(part, ast.FormattedValue) else part
        value = it.eval(inner)
        if not isinstance(value, Const) or (isinstance(part, ast.FormattedValue) and part.format_spec is not None):
            return NUMBER
        parts.append(str(value.value))
    return Const("".join(parts))


HANDLERS: dict[type[ast.expr], Callable[[Interpreter, Any], Value]] = {
    ast.Constant: constant,
    ast.Name: name,
    ast.Attribute: attribute,
    ast.Call: lambda it, node: calls.call(it, node),  # late: the modules need each other
    ast.BinOp: binary,
    ast.UnaryOp: unary,
    ast.BoolOp: conditions.boolean,
    ast.Compare: conditions.compare,
    ast.IfExp: conditions.choice,
    ast.Subscript: subscript,
    ast.Slice: slice_,
    ast.List: listing("list"),
    ast.Tuple: listing("tuple"),
    ast.Set: listing("set"),
    ast.Dict: dictionary,
    ast.ListComp: comprehensions.comprehension,
    ast.SetComp: comprehensions.comprehension,
    ast.GeneratorExp: comprehensions.comprehension,
    ast.DictComp: comprehensions.dict_comprehension,
    ast.Lambda: function,
    ast.NamedExpr: named,
    ast.Await: lambda it, node: it.eval(node.value),
    ast.Yield: yielded,
    ast.YieldFrom: yielded_from,
    ast.JoinedStr: text,
    ast.Starred: lambda it, node: it.eval(node.value),
}

__all__ = ["FALSE", "HANDLERS", "TRUE", "binary_op", "join_values", "top_level", "truth"]
