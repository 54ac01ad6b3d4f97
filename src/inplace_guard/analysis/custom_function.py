"""Custom autograd Functions and gradient hooks."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from inplace_guard.analysis import calls, containers
from inplace_guard.analysis.classes import ClassInfo
from inplace_guard.analysis.frames import Frame
from inplace_guard.analysis.machine import Kept
from inplace_guard.analysis.tape import Hazard, Node
from inplace_guard.analysis.values import (
    MULTI,
    NO,
    NONE,
    UNKNOWN,
    YES,
    Ctx,
    Func,
    Seq,
    Tensor,
    Value,
)

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter


def apply(it: Interpreter, info: ClassInfo, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """`F.apply(...)`: forward runs without grad mode; what it keeps belongs to one node."""
    found = info.method("forward")
    if found is None:
        return calls.opaque(it, UNKNOWN, args, kwargs, node, saves=False)
    place = it.place(node)
    ctx = Ctx(it.new_id())
    inputs = it.tensors(*args)
    for t in args:
        if isinstance(t, Tensor):
            it.believe(t)
    req = max((it.req(t) for t in inputs if t.kind not in ("int", "bool")), default=NO)
    recording = bool(it.heap["grad"])
    before = {t: it.stamp(t) for t in inputs}
    setup = info.method("setup_context")
    outer = it.heap["grad"], it.heap["function"]
    it.heap["grad"], it.heap["function"] = False, True
    try:
        function, owner = found
        given = args if setup is not None else [ctx, *args]
        returned = calls.call_function(it, Func(function, owner.frame, None, owner), given, kwargs, node)
        if setup is not None:
            context = Func(setup[0], setup[1].frame, None, setup[1])
            calls.call_function(it, context, [ctx, it.seq(args, "tuple"), returned], {}, node)
    finally:
        it.heap["grad"], it.heap["function"] = outer
    dirty = it.tensors(it.heap.get((ctx.oid, "dirty"), NONE))
    if not (recording and req):
        return returned
    recorded = it.record(info.name, place, inputs, req)
    results = it.tensors(returned)
    contract(it, inputs, dirty, results, before, recorded)
    value = outputs(it, returned, inputs, dirty, recorded, req)
    keep(it, ctx, recorded, inputs, results, value, req)
    frame = it.frame
    recorded.replay = lambda machine: replay(machine, info, ctx, recorded, len(results), node, frame)
    return value


def contract(
    it: Interpreter,
    inputs: list[Tensor],
    dirty: list[Tensor],
    results: list[Tensor],
    before: dict[Tensor, int],
    recorded: Node,
) -> None:
    """An input that forward wrote without mark_dirty keeps its old history although its values are new."""
    marked = frozenset(m for t in dirty for m in t.mem)
    returned = frozenset(m for t in results for m in t.mem)
    for t in inputs:
        if it.stamp(t) <= before[t] or t.mem & marked or len(t.mem) != 1:
            continue
        last = it.mem(min(t.mem)).last
        # Values with a history that went into plain memory: what reads it later has no path back to them.
        fed = t.origin != "buffer" and any(s is not t and it.req(s) == YES and it.nodes(s) for s in inputs)
        if last is None or not (it.nodes(t) or it.req(t) == YES or fed):
            continue
        # Harmless if only what the function returns is read from now on; the old name has the old history.
        if last.how == "no_grad":
            it.heap["unmarked", min(t.mem)] = (last, recorded)
            it.watched = True
    for t in dirty:
        last = it.mem(min(t.mem)).last if t.mem else None
        if last is not None and (it.leaf(t) or t.view == MULTI):
            it.report(Hazard("IPG103" if it.leaf(t) else "IPG105", last))
    for t in dirty:
        last = it.mem(min(t.mem)).last if t.mem else None
        if last is not None and not t.mem & returned:
            it.report(Hazard("IPG109", last, None, (recorded.op, recorded.place)))


def outputs(
    it: Interpreter, value: Value, inputs: list[Tensor], dirty: list[Tensor], recorded: Node, req: int
) -> Value:
    if isinstance(value, Seq):
        return it.seq([outputs(it, item, inputs, dirty, recorded, req) for item in it.items(value)], "tuple")
    if not isinstance(value, Tensor) or value.kind in ("int", "bool"):
        return value
    marked = frozenset(m for t in dirty for m in t.mem)
    taken = frozenset(m for t in inputs for m in t.mem)
    fresh = value.but(req=req, nodes=(recorded,), detached=False, leaf_view=False, bypass="", cut="", sure=True)
    if value.mem & marked:
        it.rebase(fresh.but(view=0), recorded, req)
        return fresh.but(view=0)
    if value.mem & taken:  # an input handed back is a view made inside a custom Function: it must not be written
        return fresh.but(view=MULTI)
    return fresh


def keep(
    it: Interpreter, ctx: Ctx, recorded: Node, inputs: list[Tensor], results: list[Tensor], value: Value, req: int
) -> None:
    saved = it.tensors(it.heap.get((ctx.oid, "saved"), NONE))
    kept: list[Kept] = [(t, "saved", "op", req) for t in saved]
    attributes = it.heap.get((ctx.oid, "attributes"), {})
    kept += [(t, "ctx", "ctx", req) for t in it.tensors(*attributes.values())]
    marked = frozenset(m for t in it.tensors(it.heap.get((ctx.oid, "dirty"), NONE)) for m in t.mem)
    for t, _, _, _ in kept:  # versions are noted when forward is over: what it wrote after it kept goes unnoticed
        last = it.mem(min(t.mem)).last if len(t.mem) == 1 and t.stamp else None
        if last is None or it.stamp(t) <= t.stamp or t.mem & marked or t.origin == "blank":
            continue
        if it.sure(t):
            it.report(Hazard("IPG204", last, None, (recorded.op, recorded.place), text="forward"))
    it.keep(recorded, kept)


def ctx_method(
    it: Interpreter, ctx: Ctx, name: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    if name == "save_for_backward":
        args = [containers.kept(it, arg) for arg in args]
        it.heap[ctx.oid, "saved"] = it.heap[ctx.oid, "saved_tensors"] = it.seq(args, "tuple")
    elif name == "mark_dirty":
        it.heap[ctx.oid, "dirty"] = it.seq(args, "tuple")
    else:
        value = it.heap.get((ctx.oid, name))
        if value is not None:
            return calls.call_value(it, value, args, kwargs, node)
    return NONE


def gradient_argument(it: Interpreter) -> Tensor:
    """A gradient that autograd hands to user code: other branches may hold the same memory."""
    t = it.tensor(NO)
    it.heap["gradient", min(t.mem)] = "IPG206"
    return t


def replay(it: Interpreter, info: ClassInfo, ctx: Ctx, recorded: Node, count: int, node: ast.AST, frame: Frame) -> None:
    """Run the backward of a custom Function, as called where `apply` was."""
    found = info.method("backward")
    if found is None:
        return
    grads: list[Value] = [gradient_argument(it) for _ in range(max(count, 1))]
    newest = it.last_id
    before = {m: cell.writes for m, cell in it.heap.items() if type(m) is int}
    caller, it.frame = it.frame, frame
    try:
        returned = run_hook(it, Func(found[0], found[1].frame, None, found[1]), [ctx, *grads], node)
    finally:
        it.frame = caller
    # A buffer that outlives the call, written and handed out as a gradient: the next call overwrites it.
    for t in it.tensors(returned):
        for m in t.mem:
            mem = it.mem(m)
            outlives = m <= newest and ("gradient", m) not in it.heap and all(save.mem != m for save in recorded.saves)
            if outlives and mem.last is not None and mem.writes > before.get(m, 0):
                it.report(Hazard("IPG206", mem.last, certain=False))


def run_hook(it: Interpreter, function: Value, args: list[Value], node: ast.AST) -> Value:
    outer = it.heap["grad"], it.heap["function"]
    it.heap["grad"], it.heap["function"] = False, True
    try:
        return calls.call_value(it, function, args, {}, node)
    finally:
        it.heap["grad"], it.heap["function"] = outer


def pack_hooks(it: Interpreter, pack: Value, unpack: Value, node: ast.AST) -> bool:
    """saved_tensors_hooks(pack, unpack): what was packed is unpacked at every backward, so it must not be written.
    Whether what is packed may be the tensor itself, not a copy."""
    outer = it.heap["grad"], it.heap["function"]
    it.heap["grad"], it.heap["function"] = False, True
    try:
        given = it.tensor(NO)
        packed = calls.call_value(it, pack, [given], {}, node)
        kept = it.tensors(packed)
        before = {m: it.mem(m).writes for t in kept for m in t.mem}
        calls.call_value(it, pack, [it.tensor(NO)], {}, node)
        for m, writes in before.items():
            last = it.mem(m).last
            if last is not None and it.mem(m).writes > writes and not last.weak:  # the next tensor went where this is
                it.report(Hazard("IPG213", last, certain=False))
            it.heap["gradient", m] = "IPG213"
        calls.call_value(it, unpack, [packed], {}, node)
        return not kept or any(t.mem <= given.mem for t in kept)
    finally:
        it.heap["grad"], it.heap["function"] = outer
