"""Writes that are no op of the table, and what a write does that autograd is not told of."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from inplace_guard.analysis import graph_rules, suspicion, torch_ops
from inplace_guard.analysis.tape import Mem, Node, Save, Write
from inplace_guard.analysis.values import (
    MAYBE,
    NO,
    YES,
    Array,
    Const,
    Number,
    Tensor,
    Value,
)

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter

# Writes that replace values, so that the old history no longer says how they came about.
REPLACING = frozenset({"__setitem__", "copy_", "fill_", "zero_", "masked_fill_", "mul_", "div_", "index_fill_", "data"})


def past_autograd(it: Interpreter, t: Tensor, write: Write, sources: list[Tensor]) -> None:
    """A write that the graph is not told of: what its target's history says is no longer how its values came about."""
    detour = write.how in ("no_grad", "data", "rebind") or (write.how == "inplace" and t.detached and t.shadow)
    if not detour or not t.mem or t.many or it.heap["function"] or t.origin == "param":
        return
    hist = t.shadow or it.nodes(t)
    lost = any(it.req(s) and it.nodes(s) for s in sources)
    if not hist and lost and t.origin == "forward":
        # An argument, whose own history nobody here can see: a stand-in for it.
        hist = (Node("argument", write.place, (), MAYBE),)
        for m in t.mem:
            mem = it.mem(m)
            it.heap[m] = Mem(mem.saves, (*mem.hist, *hist), mem.req, mem.sure, mem.writes, mem.last)
    own = all(past.op in torch_ops.CASTS and not past.parents for past in hist)  # `Parameter(x).to(device)`: the leaf
    replaced = write.op in REPLACING and not own and any(graph_node.req == YES for graph_node in hist)
    if not (lost or replaced):
        return
    for graph_node in hist:
        fake = Save(min(t.mem), graph_node, "result", "history", graph_node.req)
        graph_node.saves += (fake,)
        it.heap[fake] = write


def write_item(it: Interpreter, t: Tensor, index: Value, value: Value, node: ast.AST, op: str = "__setitem__") -> None:
    """`t[index] = value`."""
    place = it.place(node)
    whole = not isinstance(index, Const | Number)
    sources = it.tensors(value)
    for source in sources if it.watched else ():
        suspicion.read(it, source)
    graph_rules.overlapping(it, t, index, sources, place)
    write = it.write(t, op, place, whole=whole)
    past_autograd(it, t, write, sources) if not minus_infinity(value) else None
    if write.how != "inplace":
        return
    req = max((torch_ops.effective_req(it, s) for s in [t, *sources]), default=NO)
    if req:
        recorded = it.record("CopySlices", place, [t, *sources], req)
        it.rebase(t, recorded, req)


def minus_infinity(value: Value) -> bool:
    """Masked with -inf (or about that) before a softmax, whose gradient there is zero anyway."""
    return isinstance(value, Const) and isinstance(value.value, float | int) and value.value < -1e3


def write_array(it: Interpreter, array: Array, op: str, node: ast.AST) -> None:
    if array.mem:
        it.write(Tensor(array.mem, bypass=array.how), op, it.place(node))
