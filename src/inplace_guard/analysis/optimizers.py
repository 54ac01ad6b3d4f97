"""Optimizers, gradient scaling and clipping, and other library code that writes parameters."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from inplace_guard.analysis import (
    calls,
    graph_rules,
)
from inplace_guard.analysis.values import (
    NONE,
    NUMBER,
    TRUE,
    UNKNOWN,
    YES,
    Builtin,
    Const,
    Dict,
    Obj,
    Optimizer,
    Seq,
    Tensor,
    Value,
)

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter

Handler = Callable[["Interpreter", list[Value], dict[str, Value], ast.AST], Value]


def make_optimizer(it: Interpreter, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    optimizer = Optimizer(it.new_id(), name, False)
    fused = kwargs.get("fused")
    if isinstance(fused, Const) and fused.value is True:
        optimizer = Optimizer(optimizer.oid, name, True)
    params = args[0] if args else kwargs.get("params", UNKNOWN)
    it.heap[optimizer.oid, "params"] = params
    return optimizer


def param_groups(it: Interpreter, params: Value) -> Value:
    if isinstance(params, Seq) and any(isinstance(item, Dict) for item in it.items(params)):
        return params
    return it.seq([it.dict_({"params": params, "*": NUMBER})], open_end=True)


def base_init(it: Interpreter, obj: Obj, args: list[Value]) -> None:
    """What torch.optim.Optimizer gives an instance of a class of ours."""
    it.heap[obj.oid, "param_groups"] = param_groups(it, args[0] if args else UNKNOWN)
    it.heap[obj.oid, "state"] = it.dict_({"*": it.dict_({})})


def is_one(it: Interpreter, obj: Obj) -> bool:
    return (obj.oid, "param_groups") in it.heap


def zero_grad(it: Interpreter, params: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    graph_rules.zero_gradients(it, it.tensors(params), kwargs.get("set_to_none", args[0] if args else TRUE), node)
    return NONE


def optimizer_params(it: Interpreter, optimizer: Optimizer) -> list[Tensor]:
    return it.tensors(it.heap.get((optimizer.oid, "params"), UNKNOWN))


def optimizer_method(
    it: Interpreter, optimizer: Optimizer, name: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    if name == "step":
        if args and not isinstance(args[0], Const):
            calls.call_value(it, args[0], [], {}, node)
            if optimizer.label == "LBFGS":  # it writes, and runs the closure again
                optimizer_method(it, optimizer, name, [], {}, node)
                calls.call_value(it, args[0], [], {}, node)
        graph_rules.shared_parameters(it, optimizer_params(it, optimizer), it.place(node))
        for t in optimizer_params(it, optimizer):
            if t.origin == "param" or it.req(t) == YES:
                how = "unversioned" if optimizer.unversioned else "optimizer"
                label = f"{optimizer.label}.step()"
                it.write(t.but(many=True), "step", it.place(node), how, label=label)
    elif name == "zero_grad":
        zero_grad(it, it.heap.get((optimizer.oid, "params"), UNKNOWN), args, kwargs, node)
    elif name == "add_param_group" and args:
        old = it.heap.get((optimizer.oid, "params"), UNKNOWN)
        it.heap[optimizer.oid, "params"] = it.seq([old, args[0]])
    return NONE


def scaler_method(it: Interpreter, name: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """torch.amp.GradScaler."""
    if name == "scale" and args:
        return args[0]
    if name == "unscale_" and args and isinstance(args[0], Optimizer):
        for t in optimizer_params(it, args[0]):
            for m in t.mem:
                grad_ = it.heap.get(("grad", m))
                if isinstance(grad_, Tensor):
                    it.write(grad_, "unscale_", it.place(node), "unversioned")
    if name == "step" and args:
        if isinstance(args[0], Optimizer):
            return optimizer_method(it, args[0], "step", [], {}, node)
        if isinstance(args[0], Obj) and isinstance(node, ast.Call):
            return calls.call_method(it, args[0], "step", [], {}, node)
    return UNKNOWN


def scaler(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    return Builtin("GradScaler")


def vector_to_parameters(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    for t in it.tensors(args[1]) if len(args) > 1 else ():
        it.write(t, "vector_to_parameters", it.place(node), "rebind")
    return NONE


def clip(name: str) -> Handler:
    def handler(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
        graph_rules.clip_gradients(it, it.tensors(args[0]) if args else [], name, node)
        return NUMBER

    return handler


def foreach(name: str) -> Handler:
    def handler(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
        for t in it.tensors(args[0]) if args else ():
            it.write(t.but(many=False), name, it.place(node))
        return args[0] if args else NONE

    return handler
