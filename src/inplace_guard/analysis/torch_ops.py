"""Applying an op of the table: which overload, what it writes, records and saves, and what comes back."""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING, Any

from inplace_guard import ops
from inplace_guard.analysis import graph_rules, indices, op_saves, suspicion, writes
from inplace_guard.analysis.tape import Node, Place
from inplace_guard.analysis.values import (
    MAYBE,
    MULTI,
    NO,
    NUMBER,
    PLAIN,
    UNKNOWN,
    VIEW,
    YES,
    Array,
    Const,
    Dict,
    Module,
    Number,
    Obj,
    Seq,
    Tensor,
    Unknown,
    Value,
)
from inplace_guard.ops.model import Op, Overload, Result

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter

# Operators that Python numbers, lists and arrays have too: using one does not show that its operand is a tensor.
COMMON_OPERATORS = frozenset(
    f"torch.{name}"
    for name in ("add", "sub", "mul", "div", "floor_divide", "remainder", "pow", "neg", "reciprocal", "bitwise_and")
) | frozenset(
    f"torch.Tensor.{name}_"
    for name in ("add", "sub", "mul", "div", "floor_divide", "remainder", "pow", "bitwise_and", "bitwise_or")
)
# Views with other strides than a fresh tensor: contiguous() and reshape() copy them.
STRIDED = frozenset({"transpose", "permute", "t", "swapaxes", "swapdims", "movedim", "moveaxis", "T", "mT", "expand"})
UNKNOWN_ORIGINS = frozenset({"attribute", "init", "parameter"})
FIRST_NAMES = {other: name for name, others in ops.OTHER_NAMES.items() for other in others}  # axis: dim
CASTS = frozenset({"to", "type", "float", "double", "half", "cpu", "cuda", "type_as", "bfloat16"})

Bound = dict[str, Value]


BLANK = ("empty", "new_empty", "zeros", "new_zeros", "ones", "new_ones", "full", "new_full")  # made to be filled


@functools.lru_cache(maxsize=4096)
def find(dotted: str) -> Op | None:
    return ops.lookup(dotted)


def apply(
    it: Interpreter, dotted: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST, operator: bool = False
) -> Value:
    """Apply the torch callable of this name."""
    op = find(dotted)
    if op is None:
        return unlisted(it, dotted, args, kwargs, node)
    if dotted in COMMON_OPERATORS and len(args) == 2:
        args = [
            args[0] if dotted.startswith("torch.Tensor.") else as_number(it, args[0], args[1]),
            as_number(it, args[1], args[0]),
        ]
    picked = pick(it, op, args, kwargs)
    if picked is None and isinstance(out := kwargs.get("out"), Tensor):
        # Python numbers are taken where the signature with out= wants tensors.
        rest = {name: value for name, value in kwargs.items() if name != "out"}
        apply(it, dotted, args, rest, node)
        if it.heap["grad"]:
            graph_rules.out_with_grad(it, op.name, it.tensors(*args, *kwargs.values()), it.place(node))
        it.write(out, op.name, it.place(node))
        return out
    if picked is None and not any(overload.records for overload in op.overloads):
        return it.tensor(NO)  # a factory: whatever its arguments are
    if picked is None:
        return unlisted(it, dotted, args, kwargs, node)
    overload, bound = picked
    if dotted not in COMMON_OPERATORS:
        believe(it, overload, bound, numbers(op))
    return run(it, op, overload, bound, node)


def as_number(it: Interpreter, value: Value, other: Value) -> Value:
    """Beside a tensor, an attribute or argument of which nothing else is known is most likely a number."""
    unknown = isinstance(value, Tensor) and value.origin in UNKNOWN_ORIGINS and not value.nodes and not it.sure(value)
    return NUMBER if unknown and isinstance(other, Tensor) and it.sure(other) else value


def unlisted(it: Interpreter, dotted: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """A torch callable that the table does not have: something new, with the history of its arguments."""
    inputs = it.tensors(*args, *kwargs.values())
    req = max((it.req(t) for t in inputs), default=NO) if it.heap["grad"] else NO
    if not inputs:
        return UNKNOWN
    nodes = (it.record(dotted.rpartition(".")[2], it.place(node), inputs, req),) if req else ()
    return it.tensor(min(req, MAYBE), nodes, sure=False)


def pick(it: Interpreter, op: Op, args: list[Value], kwargs: dict[str, Value]) -> tuple[Overload, Bound] | None:
    """The first overload that these arguments fit, or else that takes as many of that name."""
    for strict in (True, False):
        for overload in op.overloads:
            bound = bind(it, overload, args, kwargs, strict)
            if bound is not None:
                return overload, bound
    listed = {FIRST_NAMES.get(name, name): value for name, value in kwargs.items()}
    return pick(it, op, args, listed) if listed.keys() != kwargs.keys() else None


def bind(
    it: Interpreter, overload: Overload, args: list[Value], kwargs: dict[str, Value], strict: bool
) -> Bound | None:
    bound: Bound = {}
    position = 0
    for param in overload.params:
        if position < len(args) and not param.kwarg_only:
            value = args[position]
            position += 1
            if param.kind == "*":
                value = it.seq(args[position - 1 :], "tuple")
                position = len(args)
            if param.kind.endswith("[]") and not isinstance(value, Seq) and position < len(args):
                rest = args[position - 1 :]  # view(2, 3) for view((2, 3))
                position = len(args)
                value = it.seq(rest) if param.kind == "Tensor[]" else NUMBER
        elif param.name in kwargs:
            value = kwargs[param.name]
        elif param.required:
            return None
        else:
            continue
        if (strict or param.kind.startswith("Tensor")) and not fits(it, param.kind, value):
            return None
        bound[param.name] = value
    if position < len(args) or any(name not in bound for name in kwargs):
        return None
    return bound


def fits(it: Interpreter, kind: str, value: Value) -> bool:
    if isinstance(value, Unknown) or kind in ("any", "*"):
        return True
    if kind.startswith("Tensor"):
        if isinstance(value, Tensor):
            return True
        if isinstance(value, Const) and value.value is None:
            return kind == "Tensor?"
        if kind.endswith("[]"):
            return isinstance(value, Seq)
        return isinstance(value, Array)
    optional = kind.endswith("?")
    if isinstance(value, Tensor):
        # What may be a number is taken as one: a tensor's history then only gets an argument less.
        return not it.sure(value) and not kind.startswith(("dtype", "str", "bool"))
    if isinstance(value, Const):
        return constant_fits(kind.rstrip("?"), optional, value.value)
    if isinstance(value, Seq):
        return kind.endswith(("[]", "[]?"))
    if isinstance(value, Number):
        return not kind.startswith(("str", "bool"))
    return not isinstance(value, Dict | Obj | Module | Array)


def constant_fits(kind: str, optional: bool, value: object) -> bool:
    if value is None:
        return optional
    if kind == "bool":
        return isinstance(value, bool)
    if kind == "str":
        return isinstance(value, str)
    if kind in ("Scalar", "float", "int", "int[]", "float[]"):
        return isinstance(value, int | float | complex) or (kind.endswith("[]") and isinstance(value, tuple))
    return kind not in ("dtype", "layout", "device") or isinstance(value, str)


@functools.lru_cache(maxsize=4096)
def numbers(op: Op) -> frozenset[str]:
    """The parameters for which some signature of an op takes a number: `x.ge(limit)`."""
    return frozenset(p.name for overload in op.overloads for p in overload.params if not p.kind.startswith("Tensor"))


def believe(it: Interpreter, overload: Overload, bound: Bound, perhaps: frozenset[str]) -> None:
    for param in overload.params:
        value = bound.get(param.name)
        if param.name not in perhaps and param.kind in ("Tensor", "Tensor?") and isinstance(value, Tensor):
            it.believe(value)


def effective_req(it: Interpreter, t: Tensor) -> int:
    return NO if t.kind in ("int", "bool") else it.req(t)


def run(it: Interpreter, op: Op, overload: Overload, bound: Bound, node: ast.AST) -> Value:
    place = it.place(node)
    differentiable = [t for name in overload.differentiable if name in bound for t in it.tensors(bound[name])]
    reqs = max((effective_req(it, t) for t in differentiable), default=NO)
    fresh = op.name.endswith("_like") or op.name.startswith("new_")  # a shape and a dtype is all they take
    recording = bool(it.heap["grad"]) and overload.records and not fresh
    req = reqs if recording else NO
    written = make_writes(it, op, overload, bound, place, differentiable)
    it.making = [it.mem(m).last for t in written for m in t.mem]
    if len(differentiable) > 1 or written:
        graph_rules.same_memory(it, op.name, differentiable)
    graph_rules.stale_gradient(it, [t for t in differentiable if t not in written])
    recorded: Node | None = None
    if recording and any(it.leaf(t) for t in written):
        req = NO  # it was refused
    if req and any(r.differentiable and r.tensor for r in overload.results):
        recorded = it.record(op.name, place, [*differentiable, *written], req)
        if op.name == "add":
            recorded.operands = tuple(t.mem for t in differentiable)
    elif it.watched and overload.differentiable:
        for t in differentiable:
            if t not in written:
                suspicion.read(it, t)
    it.making = []
    cut = lost_history(it, differentiable, recording, reqs)
    results = [result(it, op, r, bound, recorded, req, cut, written, differentiable) for r in overload.results]
    if cut == "tensor" and recorded is None:  # what torch.tensor() lost is lost for what is made of it as well
        phantoms = tuple(n for t in differentiable if t.cut == "tensor" for n in t.nodes)
        results = [r.but(nodes=phantoms) if isinstance(r, Tensor) else r for r in results]
    if recorded is not None:
        for t in written:
            it.rebase(t, recorded, req)
        op_saves.save(it, overload, bound, recorded, results, written)
    if not results:
        return Const(None)
    return results[0] if len(results) == 1 else it.seq(results, "tuple")


def lost_history(it: Interpreter, inputs: list[Tensor], recording: bool, req: int) -> str:
    if req == YES and not recording and not it.heap["grad"]:
        return "no_grad"
    return next((t.cut for t in inputs if t.cut), "") if req == NO else ""


def make_writes(
    it: Interpreter, op: Op, overload: Overload, bound: Bound, place: Place, inputs: list[Tensor]
) -> list[Tensor]:
    """Make the writes; the tensors written."""
    written: list[Tensor] = []
    names = overload.writes if "out" in overload.writes or "out" not in bound else (*overload.writes, "out")
    if "out" in bound and it.heap["grad"]:
        graph_rules.out_with_grad(it, op.name, it.tensors(*bound.values()), place)
    for name in names:
        target, _, condition = name.partition("?")
        if condition and holds(condition, overload, bound) is not True:
            continue
        for t in it.tensors(bound[target]) if target in bound else ():
            how = "unversioned" if target in overload.unversioned else "no_grad" if overload.no_grad else "inplace"
            if op.name == "copy_":
                graph_rules.overlapping(it, t, None, inputs, place)
                graph_rules.restored(it, t, inputs, place)
            write = it.write(t, op.name, place, how)
            if op.name in graph_rules.SCATTERING:
                graph_rules.repeated_index(it, t, bound.get("index", UNKNOWN), bound.get("source", UNKNOWN), place)
            if op.name == "scatter_" and "src" in bound and "reduce" not in bound:
                graph_rules.scattered(it, t, bound, place)
            sources = [s for s in inputs if s is not t]
            if not writes.minus_infinity(bound.get("value", UNKNOWN)):
                writes.past_autograd(it, t, write, sources)
            written.append(t)
    return written


def holds(condition: str, overload: Overload, bound: Bound) -> bool | None:
    """Whether a condition of the table holds for these arguments; None where that cannot be told."""
    if not condition:
        return True
    tensors = {param.name for param in overload.params if param.kind.startswith("Tensor")}
    return ops.holds(condition, overload, {name: plain(value, name in tensors) for name, value in bound.items()})


def plain(value: Value, tensor: bool) -> object:
    """`tensor`: the signature wants one. Elsewhere, what may be a tensor is a setting of which nothing is known."""
    if isinstance(value, Const):
        return value.value
    return True if isinstance(value, Seq) or (isinstance(value, Tensor) and (tensor or value.sure)) else ops.UNKNOWN


def result(
    it: Interpreter,
    op: Op,
    r: Result,
    bound: Bound,
    recorded: Node | None,
    req: int,
    cut: str,
    written: list[Tensor],
    inputs: list[Tensor],
) -> Value:
    if not r.tensor:
        base = bound.get(r.of) if r.of else None
        return Array(base.mem, "storage", base) if isinstance(base, Tensor) and r.relation != "new" else NUMBER
    nodes = (recorded,) if recorded is not None and r.differentiable else ()
    if not r.differentiable:
        req = NO
    base = bound.get(r.of) if r.of else None
    relation = r.relation
    first = next(iter(bound.values()), None)
    if relation == "new" and len(written) == 1 and written[0] in (first, bound.get("out")) and not r.of:
        base, relation = written[0], "same"  # relu(x, inplace=True)
    if relation == "maybe" and any(w is base for w in written):
        relation = "same"
    elif relation == "maybe" and "dropout" in op.name:
        flag = bound.get("training", Const(True))
        relation = "same" if isinstance(flag, Const) and not flag.value else "new"
    if isinstance(base, Tensor) and relation != "new":
        return alias(it, op, r, relation, base, nodes, req, cut)
    kind = r.dtype or (inputs[0].kind if inputs and all(t.kind in ("int", "bool") for t in inputs) else "")
    if r.many or r.sequence:
        return it.seq([it.tensor(req, nodes) for _ in range(2)], "tuple", open_end=True)
    if op.name.startswith(BLANK):
        return it.tensor(req, nodes, kind=kind, origin="blank")
    sure = op.name in ("matmul",) or not inputs or any(it.sure(t) for t in inputs)
    return it.tensor(req, nodes, kind=kind, cut=cut, sure=sure, origin=indices.arithmetic(op.name, kind, inputs))


def fixed(it: Interpreter, index: Value) -> bool:
    """Whether an index is the same each time."""
    return all(fixed(it, part) for part in it.items(index)) if isinstance(index, Seq) else isinstance(index, Const)


def alias(
    it: Interpreter, op: Op, r: Result, relation: str, base: Tensor, nodes: tuple[Node, ...], req: int, cut: str
) -> Value:
    if relation == "same":
        if base.bypass or not nodes:
            return base
        return base.but(nodes=nodes, req=max(it.req(base), req))
    mem = base.mem
    if (origin := indices.whole_numbers(op.name, base.origin)) is not None:
        return it.tensor(NO, sure=it.sure(base), kind="int", origin=origin)
    if relation == "maybe":
        if op.name == "contiguous":
            relation, mem = (
                ("new", frozenset((it.new_id(),))) if base.origin == "strided" or base.expanded else ("same", mem)
            )
            if relation == "same":
                whole = base.view == PLAIN and not base.copy and it.scope is it.home
                return base.but(copy=it.new_id()) if whole else base
        elif op.name in ("reshape", "flatten", "ravel") and base.origin == "strided":
            relation = "new"  # other strides than the new shape needs: nearly always a copy
        elif op.name in ("double", "half", "bfloat16") or (op.name in CASTS and base.origin == "of a dtype"):
            relation = "new"  # few tensors have that dtype already: `if x.dtype == torch.uint8: x = x.float()`
        elif op.name not in ("reshape", "flatten", "ravel", "squeeze"):
            mem = mem | {it.new_id()}
        if op.name in CASTS and relation != "new":
            if base.kind in ("int", "bool") and op.name not in ("cpu", "cuda"):
                return it.tensor(NO, sure=it.sure(base))
            piece = base.region is not None and not fixed(it, base.region)  # another one each round, perhaps
            origin = "converted" if it.scope is it.home and not piece else ""
            return base.but(mem=mem, nodes=nodes or base.nodes, req=req or base.req, cut=cut, origin=origin)
        if relation == "new":
            return it.tensor(req, nodes, cut=cut, sure=it.sure(base))
    detached = base.detached or (not nodes and it.req(base) > NO)
    origin = indices.rearranged(op.name, base.origin)
    # A view made without grad mode must not be written with it.
    blind = MULTI if not it.heap["grad"] and relation == "view" and it.req(base) == YES else VIEW
    facts: dict[str, Any] = {
        "sure": it.sure(base),
        "leaf_view": bool(nodes) and (base.leaf_view or it.leaf(base)),
        "expanded": base.expanded or (r.expanded and relation == "view"),
        "kind": base.kind,
        "bypass": base.bypass,
        "detached": detached,
        "cut": "maybe" if base.cut == "maybe" else cut,
        "origin": origin or ("strided" if op.name in STRIDED else base.origin if "grad" in base.origin else ""),
        "stamp": base.stamp,
        "copy": base.copy,
        "many": base.many,
        "spared": base.spared,
        "shadow": base.shadow or (it.nodes(base) if detached else ()),
    }
    if r.many or r.sequence:
        multi = MULTI if (nodes and r.many) or base.view == MULTI else VIEW
        for m in mem if multi == MULTI else ():
            it.heap["pieces", m] = True  # to write the base now spoils the pieces
        pieces = [Tensor(mem, req, nodes, view=multi, **facts) for _ in range(2)]
        return it.seq(pieces, "tuple", open_end=True)
    return Tensor(mem, req, nodes, view=max(base.view, blind), **facts)
