"""Python's builtins, NumPy arrays and their functions."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from inplace_guard.analysis import attributes, calls, containers, expressions, picking, writes
from inplace_guard.analysis.values import (
    NONE,
    NUMBER,
    UNKNOWN,
    Array,
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

Handler = Callable[["Interpreter", list[Value], dict[str, Value], ast.AST], Value]

# Methods that write an ndarray in place, and those that give a view of it.
ARRAY_WRITES = frozenset({"fill", "sort", "put", "itemset", "partition", "copy_", "fill_"})
FIRST_WRITTEN = frozenset({"copyto", "fill_diagonal", "put", "place", "putmask", "shuffle"})
CHAINS = {"sequential": "torch.nn.Sequential", "modulelist": "torch.nn.ModuleList"}
TEXT_METHODS = frozenset({"endswith", "lower", "replace", "rsplit", "split", "startswith", "strip", "upper"})
ARRAY_VIEWS = frozenset({"__getitem__", "reshape", "ravel", "view", "transpose", "squeeze", "swapaxes", "T", "untyped"})


def call(it: Interpreter, name: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    handler = HANDLERS.get(name)
    if handler is not None:
        return handler(it, args, kwargs, node)
    if name in PLAIN_RESULTS:
        return NUMBER
    return calls.opaque(it, UNKNOWN, args, kwargs, node, saves=False)


def number_range(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    plain = [arg.value for arg in args if isinstance(arg, Const) and isinstance(arg.value, int)]
    if len(plain) == len(args) and 0 < len(args) <= 3 and 0 not in plain[2:]:
        numbers = range(*plain)
        if len(numbers) <= 4:
            return it.seq([Const(n) for n in numbers])
        if len(numbers):
            first = [Const(n) for n in numbers[:3]]
            some = it.seq([*first, Const(numbers[-1])], open_end=True)
            it.heap[some.oid, "numbers"] = numbers
            return some
        return it.seq([])
    start = args[0] if len(args) == 2 else None
    least = start.value if isinstance(start, Const) and isinstance(start.value, int) else 0
    loop = object()
    return it.seq([Index(loop, max(least, 0)), Index(loop, max(least, 0))], open_end=True)


def enumerated(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    if not args:
        return UNKNOWN
    items, open_end = containers.iterate(it, args[0], node)
    last = len(items) - 1 if open_end and len(items) > 1 else -1  # it stands for all that follow
    rows = [it.seq([Index(args, i) if i == last else Const(i), item], "tuple") for i, item in enumerate(items)]
    return it.seq(rows, open_end=open_end)


def zipped(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    columns = [containers.iterate(it, arg, node) for arg in args]
    rows: list[Value] = []
    count = min((len(items) for items, open_end in columns if not open_end), default=2)
    for i in range(count):
        row = [items[min(i, len(items) - 1)] if items else UNKNOWN for items, _ in columns]
        rows.append(it.seq(row, "tuple"))
    return it.seq(rows, open_end=any(open_end for _, open_end in columns))


def text_method(it: Interpreter, text: Const | Number, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """A method of a string: `"norm-act".split("-")`."""
    given = [arg.value for arg in args if isinstance(arg, Const)]
    known = isinstance(text, Const) and isinstance(text.value, str) and len(given) == len(args) and not kwargs
    if not known or name not in TEXT_METHODS or not isinstance(text, Const):
        return UNKNOWN
    try:
        result = getattr(text.value, name)(*given)
    except (TypeError, ValueError):
        return UNKNOWN
    return it.seq(map(Const, result)) if isinstance(result, list) else Const(result)


def to_float(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    if args and isinstance(args[0], Const) and isinstance(args[0].value, str | int | float):
        try:
            return Const(float(args[0].value))
        except (ValueError, OverflowError):
            return NUMBER
    return NUMBER


def mapped(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    if len(args) < 2:
        return UNKNOWN
    items, open_end = containers.iterate(it, args[1], node)
    return it.seq([calls.call_value(it, args[0], [item], {}, node) for item in items], open_end=open_end)


def copied(kind: str) -> Handler:
    def handler(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
        if not args:
            return it.seq([], kind)
        items, open_end = containers.iterate(it, args[0], node)
        return it.seq(items, kind, open_end)

    return handler


def reversed_(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    items, open_end = containers.iterate(it, args[0], node) if args else ([], True)
    return it.seq(items[::-1], "list", open_end)


def summed(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    items, _ = containers.iterate(it, args[0], node) if args else ([], False)
    total: Value = args[1] if len(args) > 1 else Const(0)
    for item in items:
        total = expressions.binary_op(it, ast.Add, total, item, node)
    return total


def dictionary(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    entries: dict[object, Value] = {}
    if args and isinstance(args[0], Dict):
        entries = dict(it.entries(args[0]))
    elif args:
        for pair in containers.iterate(it, args[0], node)[0]:
            parts = it.items(pair) if isinstance(pair, Seq) else ()
            key, value = parts if len(parts) == 2 else (UNKNOWN, UNKNOWN)
            name = key.value if isinstance(key, Const) else "*"
            entries[name] = expressions.join_values(it, entries[name], value) if name in entries else value
    return it.dict_({**entries, **kwargs})


def length(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    if args and isinstance(args[0], Seq) and not it.heap.get((args[0].oid, "open")):
        return Const(len(it.items(args[0])))
    return NUMBER


def is_instance(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    kinds = node.args[1] if isinstance(node, ast.Call) and len(node.args) > 1 else None
    value = args[0] if args else UNKNOWN
    dotted = it.scope.dotted(kinds) if kinds is not None else None
    if isinstance(value, Tensor) and it.sure(value) and value.sure:
        if dotted == "torch.Tensor":
            return Const(True)
        if isinstance(kinds, ast.Name) and kinds.id in ("int", "float", "str", "list", "tuple", "dict", "bool"):
            return Const(False)
    if isinstance(value, Module | Obj) and dotted is not None and dotted.startswith("torch.nn."):
        if dotted == "torch.nn.Module":
            return Const(isinstance(value, Module) or value.cls.is_module)
        if isinstance(value, Module) and value.facts is not None:
            return Const(dotted.rpartition(".")[2] == value.facts.name)
        return Const(dotted in value.cls.all_outside) if isinstance(value, Obj) else NUMBER
    if isinstance(value, Seq | Number) and dotted == "torch.Tensor":
        return Const(False)
    if isinstance(value, Seq) and value.kind in CHAINS and dotted is not None and dotted.startswith("torch.nn."):
        return Const(dotted in ("torch.nn.Module", CHAINS[value.kind]))
    return NUMBER


def get_attribute(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    if len(args) > 1 and isinstance(args[1], Const) and isinstance(args[1].value, str):
        return attributes.load(it, args[0], args[1].value, node)
    return UNKNOWN


def set_attribute(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    if len(args) > 2 and isinstance(args[1], Const) and isinstance(args[1].value, str):
        attributes.store(it, args[0], args[1].value, args[2], node)
    return NONE


def has_attribute(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    if len(args) > 1 and isinstance(args[0], Obj) and isinstance(args[1], Const):
        obj = args[0]
        if (obj.oid, args[1].value) in it.heap or obj.cls.method(str(args[1].value)):
            return Const(True)
    return NUMBER


def next_(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    items, _ = containers.iterate(it, args[0], node) if args else ([], True)
    return items[0] if items else UNKNOWN


def extreme(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    unsure = [arg for arg in args if isinstance(arg, Tensor) and not it.sure(arg)]
    if args and len(unsure) + sum(isinstance(arg, Const | Number) for arg in args) == len(args) > len(unsure):
        return NUMBER  # what is compared with a number is one, most likely
    return picking.join_all(it, it.items(args[0]) if len(args) == 1 and isinstance(args[0], Seq) else args)


def new_array(it: Interpreter) -> Array:
    return Array(frozenset((it.new_id(),)))


def array_method(
    it: Interpreter, array: Array, name: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    if name in ARRAY_WRITES:
        writes.write_array(it, array, name, node)
        return array if name.endswith("_") else NONE
    if name in ARRAY_VIEWS:
        return array
    return new_array(it)


def numpy_call(it: Interpreter, name: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """A function of NumPy: asarray shares memory, out= writes, the rest makes something new."""
    out = kwargs.get("out")
    if isinstance(out, Seq):
        out = next(iter(it.items(out)), None)
    if isinstance(out, Array):
        writes.write_array(it, out, name, node)
        return out
    if name in FIRST_WRITTEN and args and isinstance(args[0], Array):
        writes.write_array(it, args[0], name, node)
        return NONE
    if (
        name in ("asarray", "ascontiguousarray", "frombuffer", "reshape", "squeeze", "transpose", "from_dlpack")
        and args
    ):
        if isinstance(args[0], Array):
            return args[0]
        if isinstance(args[0], Tensor):
            return Array(args[0].mem, "dlpack" if name == "from_dlpack" else "numpy", args[0])
    return new_array(it)


def same_function(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    return args[0] if args else UNKNOWN


def sort_(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    return copied("list")(it, args, kwargs, node)


PLAIN_RESULTS = frozenset(
    {
        "all", "any", "bool", "bytes", "callable", "chr", "complex", "dir", "divmod", "float", "format", "globals",
        "hash", "id", "input", "int", "issubclass", "locals", "open", "ord", "print", "repr", "round", "str", "type",
        "vars"
    }
)  # fmt: skip

HANDLERS: dict[str, Handler] = {
    "range": number_range,
    "enumerate": enumerated,
    "zip": zipped,
    "float": to_float,
    "map": mapped,
    "list": copied("list"),
    "tuple": copied("tuple"),
    "set": copied("set"),
    "frozenset": copied("set"),
    "iter": copied("list"),
    "reversed": reversed_,
    "sorted": sort_,
    "sum": summed,
    "dict": dictionary,
    "bytearray": lambda it, args, kwargs, node: new_array(it),
    "memoryview": lambda it, args, kwargs, node: args[0] if args else UNKNOWN,
    "len": length,
    "slice": lambda it, args, kwargs, node: Number(),  # one that is like no other
    "isinstance": is_instance,
    "getattr": get_attribute,
    "setattr": set_attribute,
    "hasattr": has_attribute,
    "next": next_,
    "max": extreme,
    "min": extreme,
    "identity": same_function,
    "property": same_function,
    "staticmethod": same_function,
}

__all__ = ["HANDLERS", "Func", "Optimizer", "array_method", "call", "numpy_call"]
