"""The methods of lists, tuples, sets and dicts."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from inplace_guard.analysis import containers, expressions
from inplace_guard.analysis.values import NONE, NUMBER, UNKNOWN, Const, Dict, Seq, Value

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter


def call_method(
    it: Interpreter, owner: Seq | Dict, name: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    if isinstance(owner, Dict):
        return dict_method(it, owner, name, args, kwargs, node)
    if name in ("append", "add", "appendleft") and args:
        containers.extend(it, owner, [containers.kept(it, args[0])])
    elif name == "insert" and len(args) > 1:
        it.heap[owner.oid, "[]"] = (containers.kept(it, args[1]), *it.items(owner))
    elif name == "extend" and args:
        items, open_end = containers.iterate(it, args[0], node)
        containers.extend(it, owner, items, open_end)
    elif name in ("pop", "popleft"):
        items_ = it.items(owner)
        if not items_:
            return UNKNOWN
        first = name == "popleft" or (args and isinstance(args[0], Const) and args[0].value == 0)
        it.heap[owner.oid, "[]"] = items_[1:] if first else items_[:-1]
        return items_[0] if first else items_[-1]
    elif name == "clear":
        it.heap[owner.oid, "[]"] = ()
    elif name == "reverse":
        it.heap[owner.oid, "[]"] = it.items(owner)[::-1]
    elif name == "copy":
        return it.seq(it.items(owner), owner.kind, bool(it.heap.get((owner.oid, "open"))))
    elif name in ("index", "count"):
        return NUMBER
    elif owner.kind == "list" and name == "sort":
        pass
    elif owner.kind == "list" and name in ("items", "values"):  # an OrderedDict whose keys are not known
        pairs = [it.items(pair) for pair in it.items(owner) if isinstance(pair, Seq)]
        return owner if name == "items" else it.seq([pair[-1] for pair in pairs if pair], "list", True)
    else:
        return UNKNOWN
    return NONE


def dict_method(
    it: Interpreter, owner: Dict, name: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    entries = it.entries(owner)
    open_end = "*" in entries
    if name == "items":
        pairs = [it.seq([NUMBER if k == "*" else Const(k), v], "tuple") for k, v in entries.items()]
        return it.seq(pairs, "list", open_end)
    if name == "values":
        return it.seq(entries.values(), "list", open_end)
    if name == "keys":
        return it.seq([Const(k) for k in entries if k != "*"], "list", open_end)
    if name in ("get", "pop", "setdefault") and args:
        key = args[0].value if isinstance(args[0], Const) and expressions.hashable(args[0].value) else "*"
        if key in entries:
            return entries[key]
        if name == "setdefault" and len(args) > 1:
            it.heap[owner.oid, "{}"] = {**entries, key: args[1]}
        return args[1] if len(args) > 1 else entries.get("*", NONE)
    if name == "update":
        if args:
            containers.merge(it, owner, args[0])
        it.heap[owner.oid, "{}"] = {**it.entries(owner), **kwargs}
        return NONE
    if name == "copy":
        return it.dict_(dict(entries), owner.kind)
    if name == "clear":
        it.heap[owner.oid, "{}"] = {}
        return NONE
    return UNKNOWN
