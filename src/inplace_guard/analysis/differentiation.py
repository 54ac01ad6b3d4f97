"""Grad modes, saved-tensor hooks, backward, autograd.grad and checkpointing."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from inplace_guard.analysis import (
    calls,
    custom_function,
    tensor_methods,
)
from inplace_guard.analysis.machine import Kept
from inplace_guard.analysis.tape import Node
from inplace_guard.analysis.values import (
    FALSE,
    MAYBE,
    NO,
    NONE,
    TRUE,
    UNKNOWN,
    YES,
    Const,
    Context,
    Number,
    Seq,
    Tensor,
    Value,
)

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter

Handler = Callable[["Interpreter", list[Value], dict[str, Value], ast.AST], Value]


def mode(name: str) -> Handler:
    def handler(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
        flag = args[0] if args else kwargs.get("mode")
        if name == "inference" and isinstance(flag, Const) and flag.value is False:
            return Context("other")  # inference_mode(False)
        if args and not isinstance(flag, Const | Number):
            return args[0]  # torch.no_grad(function)
        return Context(name)

    return handler


def set_grad_enabled(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """As a context manager and as a plain call, which switches at once."""
    flag = args[0] if args else kwargs.get("mode", UNKNOWN)
    if not isinstance(flag, Const):
        return Context("other")
    if isinstance(node, ast.Call) and it.scope.is_statement(node):
        it.heap["grad"] = bool(flag.value)
    return Context("enable_grad" if flag.value else "no_grad")


def is_grad_enabled(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    return TRUE if it.heap["grad"] else FALSE


def hooks(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    if len(args) == 2 and not custom_function.pack_hooks(it, args[0], args[1], node):
        return Context("copied")
    return Context("hooked")


def copied(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """allow_mutation_on_saved_tensors: what is saved is copied before it is written."""
    return Context("copied")


def other_context(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    return Context("other")


def backward(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    roots = it.tensors(args[0]) if args else it.tensors(kwargs.get("tensors", UNKNOWN))
    tensor_methods.run_backward(it, roots, args[2:3], kwargs, node)
    return NONE


def grad(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """autograd.grad: a backward whose results are tensors of their own; those of a sum share memory."""
    outputs = it.tensors(args[0] if args else kwargs.get("outputs", UNKNOWN))
    wanted = args[1] if len(args) > 1 else kwargs.get("inputs", UNKNOWN)
    tensor_methods.run_backward(it, outputs, args[3:4], kwargs, node, ends(it, wanted))
    create = kwargs.get("create_graph", args[4] if len(args) > 4 else FALSE)
    nodes: tuple[Node, ...] = ()
    req = NO
    if isinstance(create, Const) and create.value and it.heap["grad"]:
        req = max((it.req(t) for t in outputs), default=NO)
        if req:
            nodes = (it.record("grad", it.place(node), outputs, req),)
    count = len(it.tensors(wanted)) if isinstance(wanted, Seq) else 1
    grads = [it.tensor(req, nodes) for _ in range(max(count, 1))]
    if summed(it, outputs, it.tensors(wanted)):
        for t in grads:
            it.heap["gradient", min(t.mem)] = "IPG206"
    return it.seq(grads, "tuple", open_end=not isinstance(wanted, Seq))


def ends(it: Interpreter, wanted: Value) -> frozenset[Node]:
    """Where autograd.grad stops: with what made the tensors whose gradients are wanted, if each was made by something
    and none of them of another one."""
    made = [it.nodes(t) for t in (it.tensors(wanted) if isinstance(wanted, Tensor | Seq) else [])]
    found = frozenset(node for nodes in made for node in nodes)
    if not made or not all(made) or (isinstance(wanted, Seq) and it.heap.get((wanted.oid, "open"))):
        return frozenset()
    todo = [parent for node in found for parent in node.parents] if len(made) > 1 else []
    seen: set[Node] = set()
    while todo:
        node = todo.pop()
        if node in found:
            return frozenset()
        if node not in seen:
            seen.add(node)
            todo.extend(node.parents)
    return found


def summed(it: Interpreter, outputs: list[Tensor], sources: list[Tensor]) -> bool:
    """Whether the graph adds two of these tensors: autograd hands both the same gradient."""
    wanted = [s.mem for s in sources]
    todo = [node for t in outputs for node in it.nodes(t)]
    seen: set[Node] = set()
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            if len(node.operands) == 2 and all(mem in wanted for mem in node.operands):
                return True
            todo.extend(node.parents)
    return False


def checkpoint(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """The segment runs without saves of its own; its tensor arguments are read again in backward."""
    if not args:
        return UNKNOWN
    function, given = args[0], args[1:]
    extra = {k: v for k, v in kwargs.items() if k not in ("use_reentrant", "preserve_rng_state", "context_fn")}
    # Its positional tensors go through save_for_backward, with the version check; what else it reads does not.
    kept: list[Kept] = [(t, "input", "op", YES) for t in given if isinstance(t, Tensor)]
    kept += [(t, "input", "checkpoint", MAYBE) for t in it.tensors(*extra.values())]
    segment = it.record("checkpoint", it.place(node), [], MAYBE, kept)
    outer, reads, newest = it.heap["hooks"], it.reads, it.last_id
    it.heap["hooks"], it.reads = "checkpoint", []
    try:
        result = calls.call_value(it, function, given, extra, node)
        closed_over = [
            t for t in it.reads if t.mem and max(t.mem) <= newest and not any(t.mem & k.mem for k, *_ in kept)
        ]
    finally:
        it.heap["hooks"], it.reads = outer, reads
    it.keep(segment, [(t, "input", "checkpoint", MAYBE) for t in dict.fromkeys(closed_over)])
    segment.parents = tuple(node_ for t in it.tensors(result) for node_ in it.nodes(t))
    return around(it, result, segment)


def checkpoint_sequential(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    if len(args) < 3:
        return UNKNOWN
    chain = args[0] if isinstance(args[0], Seq) and args[0].kind == "sequential" else None
    if isinstance(args[0], Seq) and chain is None:
        chain = it.seq(it.items(args[0]), "sequential")
    return checkpoint(it, [chain if chain is not None else args[0], args[2]], {}, node)


def around(it: Interpreter, value: Value, segment: Node) -> Value:
    if isinstance(value, Tensor) and it.nodes(value):
        return value.but(nodes=(*value.nodes, segment))
    if isinstance(value, Seq):
        return it.seq([around(it, item, segment) for item in it.items(value)], value.kind)
    return value
