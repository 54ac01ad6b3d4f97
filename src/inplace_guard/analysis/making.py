"""Making tensors: copies, tensors on memory that exists already, sparse ones."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from inplace_guard.analysis import (
    torch_ops,
)
from inplace_guard.analysis.tape import Hazard, Node, Save, Write
from inplace_guard.analysis.values import (
    FALSE,
    MAYBE,
    NO,
    NUMBER,
    TRUE,
    UNKNOWN,
    YES,
    Array,
    Const,
    Number,
    Seq,
    Tensor,
    Value,
)

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter

Handler = Callable[["Interpreter", list[Value], dict[str, Value], ast.AST], Value]


def tensor(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """torch.tensor(data): a copy, cut from the history of what it is made of."""
    flag = kwargs.get("requires_grad")
    req = YES if isinstance(flag, Const) and flag.value else NO
    sources = it.tensors(*args)
    cut = "tensor" if any(it.req(t) == YES and it.nodes(t) for t in sources) else ""
    if args and isinstance(args[0], Number):
        cut = args[0].cut
    elif args and isinstance(args[0], Seq) and not req:
        cut = next((item.cut for item in it.items(args[0]) if isinstance(item, Number) and item.cut), cut)
    if cut and req:  # a new leaf in place of a loss: backward runs, and nothing behind it gets a gradient
        write = Write("torch.tensor", it.place(node), "backward")
        it.report(Hazard("IPG303", write, None, None, text="tensor"))
    numbers = literal_numbers(it, args[0]) if args else []
    repeats = len(set(numbers)) < len(numbers) and all(isinstance(n, int) for n in numbers)
    kind = "int" if numbers and all(isinstance(n, int) for n in numbers) and not req and "dtype" not in kwargs else ""
    nodes: tuple[Node, ...] = ()
    if cut and not req and sources:
        # The values go on, the history does not: told if some backward would have wanted it.
        lost = Node("torch.tensor", it.place(node), (), MAYBE)
        mark = Save(0, lost, "result", "tensor", YES)
        lost.saves = (mark,)
        it.heap[mark] = Write("torch.tensor", it.place(node), "backward")
        nodes = (lost,)
    return it.tensor(req, nodes, cut=cut, kind=kind, origin="repeats" if repeats and kind else "")


def literal_numbers(it: Interpreter, value: Value, depth: int = 2) -> list[object]:
    if isinstance(value, Const) and isinstance(value.value, int | float) and not isinstance(value.value, bool):
        return [value.value]
    if isinstance(value, Seq) and depth:
        return [n for item in it.items(value) for n in literal_numbers(it, item, depth - 1)]
    return []


def shared(how: str) -> Handler:
    """from_numpy, from_dlpack, frombuffer, as_tensor: a tensor on memory that exists already."""

    def handler(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
        value = args[0] if args else UNKNOWN
        copy = kwargs.get("copy")
        if isinstance(copy, Const) and copy.value is True:
            return it.tensor(NO)
        if isinstance(value, Array) and value.mem:
            # On memory that came out of a tensor it has a second version counter; otherwise it has the first.
            second = value.how if value.source is not None else ""
            return Tensor(value.mem, bypass=second, detached=value.source is not None)
        if isinstance(value, Tensor):
            if how == "as_tensor":
                # Who converts what may be a tensor already has an array or a list of numbers, most likely: data.
                return value if it.sure(value) else value.but(req=NO, nodes=(), detached=True, sure=True)
            return value.but(bypass=how, detached=True, nodes=(), req=NO)
        return it.tensor(NO)

    return handler


def to_dlpack(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    return Array(args[0].mem, "dlpack", args[0]) if args and isinstance(args[0], Tensor) else UNKNOWN


def as_strided(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    return args[0] if args else UNKNOWN


def sparse(name: str, position: int) -> Handler:
    """Sparse tensors keep the values that they are given (COO: if is_coalesced=True), with a counter of their own."""

    def handler(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
        flag = kwargs.get("is_coalesced", TRUE if position == 2 else FALSE)
        known = {name: value for name, value in kwargs.items() if name != "is_coalesced"}
        result = torch_ops.apply(it, name, args, known, node)
        values = args[position] if len(args) > position else kwargs.get("values")
        if isinstance(values, Tensor) and isinstance(flag, Const) and flag.value:
            made = result if isinstance(result, Tensor) else it.tensor(NO)
            return made.but(mem=values.mem, bypass="sparse", sure=True)
        return result

    return handler


def is_tensor(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    return TRUE if args and isinstance(args[0], Tensor) and args[0].sure else NUMBER


def uninitialised(kind: str) -> Handler:
    def handler(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
        return it.tensor(NO, kind=kind)

    return handler
