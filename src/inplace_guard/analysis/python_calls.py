"""Functions of Python's own library: copy, functools, operator, collections, struct."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from inplace_guard.analysis import (
    builtin_calls,
    calls,
    containers,
    nn_modules,
    torch_ops,
    writes,
)
from inplace_guard.analysis.machine import Kept
from inplace_guard.analysis.values import (
    MAYBE,
    NO,
    NONE,
    NUMBER,
    UNKNOWN,
    Array,
    Const,
    Dict,
    Fields,
    Func,
    Module,
    Obj,
    Partial,
    Seq,
    Tensor,
    Value,
)

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter

Handler = Callable[["Interpreter", list[Value], dict[str, Value], ast.AST], Value]


def partial(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    return Partial(args[0], tuple(args[1:]), kwargs) if args else UNKNOWN


def reduce_(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    items, _ = containers.iterate(it, args[1], node) if len(args) > 1 else ([], True)
    items = [*args[2:3], *items]
    total = items[0] if items else UNKNOWN
    for item in items[1:]:
        total = calls.call_value(it, args[0], [total, item], {}, node)
    return total


def inplace_operator(name: str) -> Handler:
    """operator.iadd and its like."""

    def handler(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
        if len(args) == 2 and isinstance(args[0], Tensor):
            return torch_ops.apply(it, f"torch.Tensor.{name}", args, {}, node)
        return args[0] if args else UNKNOWN

    return handler


def namedtuple_(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    names = args[1] if len(args) > 1 else kwargs.get("field_names", UNKNOWN)
    if isinstance(names, Const) and isinstance(names.value, str):
        return Fields(tuple(names.value.replace(",", " ").split()))
    if isinstance(names, Seq):
        return Fields(tuple(str(getattr(item, "value", "?")) for item in it.items(names)))
    return UNKNOWN


def itself(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    return args[0] if args else UNKNOWN


def shallow_copy(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """copy.copy: another object on the same tensors."""
    value = args[0] if args else UNKNOWN
    if isinstance(value, Seq):
        return it.seq(it.items(value), value.kind, bool(it.heap.get((value.oid, "open"))))
    if isinstance(value, Dict):
        return it.dict_(dict(it.entries(value)), value.kind)
    if isinstance(value, Obj | Module):
        oid = it.new_id()
        for key, cell in list(it.heap.items()):
            if type(key) is tuple and len(key) == 2 and key[0] == value.oid:
                it.heap[oid, key[1]] = cell
        if isinstance(value, Obj):
            return Obj(oid, value.cls)
        return Module(oid, value.label, value.facts, value.inplace, value.made)
    if isinstance(value, Tensor) and not it.sure(value):
        return it.tensor(MAYBE, it.nodes(value), sure=False)
    return value


def deep_copy(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    return copied(it, args[0] if args else UNKNOWN, {}, node)


def copied(it: Interpreter, value: Value, done: dict[int, Value], node: ast.AST) -> Value:
    if isinstance(value, Tensor):
        if len(value.mem) == 1 and value.origin == "param":
            twin = -min(value.mem)
            if twin not in done:
                done[twin] = fresh = nn_modules.parameter(it)
                it.require(fresh, it.req(value))
            return done[twin]
        origin = "" if value.origin == "snapshot" else value.origin
        return it.tensor(it.req(value) if not it.nodes(value) else NO, kind=value.kind, origin=origin)
    if not isinstance(value, Obj | Module | Seq | Dict):
        return value
    if value.oid in done:
        return done[value.oid]
    oid = it.new_id()
    made: Value
    if isinstance(value, Obj):
        made = Obj(oid, value.cls)
    elif isinstance(value, Module):
        made = Module(oid, value.label, value.facts, value.inplace, value.made)
    elif isinstance(value, Seq):
        made = Seq(oid, value.kind)
    else:
        made = Dict(oid, value.kind)
    done[value.oid] = made
    cells = [(k, v) for k, v in it.heap.items() if type(k) is tuple and len(k) == 2 and k[0] == value.oid]
    for key, cell in cells:
        if isinstance(cell, tuple):
            it.heap[oid, key[1]] = tuple(copied(it, item, done, node) for item in cell)
        elif isinstance(cell, dict):
            it.heap[oid, key[1]] = {k: copied(it, item, done, node) for k, item in cell.items()}
        else:
            it.heap[oid, key[1]] = copied(it, cell, done, node) if isinstance(cell, Value) else cell
    return made


def chained(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    rows = [containers.iterate(it, arg, node) for arg in args]
    return it.seq([item for items, _ in rows for item in items], "list", any(more for _, more in rows))


def sampled(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """random.sample(items, n): some of the items, in another order."""
    if not args or not isinstance(args[0], Seq):
        return UNKNOWN
    return it.seq(it.items(args[0]), open_end=True)


def ordered(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    if args and isinstance(args[0], Seq):
        pairs = [it.items(pair) for pair in it.items(args[0]) if isinstance(pair, Seq)]
        if not all(pair and isinstance(pair[0], Const) for pair in pairs):
            return args[0]  # keys that are not known: the pairs, in their order
    return builtin_calls.dictionary(it, args, kwargs, node)


def default_dict(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    made = builtin_calls.dictionary(it, args[1:], kwargs, node)
    if args and isinstance(made, Dict):
        it.heap[made.oid, "factory"] = args[0]
    return made


def data_loader(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """torch.utils.data.DataLoader: batches of copies of what the dataset hands out, epoch after epoch."""
    data = args[0] if args else kwargs.get("dataset")
    found = data.cls.method("__getitem__") if isinstance(data, Obj) else None
    if not isinstance(data, Obj) or found is None:
        return UNKNOWN
    for key, cell in list(it.heap.items()):
        if type(key) is tuple and key[0] == data.oid and isinstance(cell, Array | Tensor):
            for m in cell.mem:
                it.heap["shared", m] = True  # a write to what it stores is there at the next epoch
    item = calls.call_function(it, Func(found[0], found[1].frame, data, found[1]), [NUMBER], {}, node)
    parts = (
        [it.tensor(NO) if isinstance(part, Tensor) else part for part in it.items(item)]
        if isinstance(item, Seq)
        else []
    )
    return it.seq([it.seq(parts, "tuple") if parts else it.tensor(NO)], "list", True)


def functional_call(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """torch.func.functional_call(module, weights, args): the weights are used as the module's own would be."""
    weights = it.tensors(args[1]) if len(args) > 1 else []
    given = [args[2] if len(args) > 2 else kwargs.get("args", NONE), kwargs.get("kwargs", NONE)]
    inputs = [*weights, *it.tensors(*given)]
    req = max((it.req(t) for t in inputs), default=NO) if it.heap["grad"] else NO
    if not req:
        return it.tensor(NO, sure=False, origin="result")
    kept: list[Kept] = [(t, "weight", "opaque", MAYBE) for t in weights]
    return it.tensor(req, (it.record("functional_call", it.place(node), inputs, req, kept),))


def pack_into(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    if len(args) > 1 and isinstance(args[1], Array):
        writes.write_array(it, args[1], "pack_into", node)
    return NONE
