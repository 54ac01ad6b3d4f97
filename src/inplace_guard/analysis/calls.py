"""Calling things: functions and classes of the file by running them, everything else by what is known of it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from inplace_guard.analysis import (
    abroad,
    attributes,
    bodies,
    builtin_calls,
    container_methods,
    containers,
    custom_function,
    definitions,
    differentiation,
    expressions,
    graph_rules,
    joins,
    module_methods,
    nn_modules,
    optimizers,
    signatures,
    tensor_methods,
    torch_names,
    writes,
)
from inplace_guard.analysis.classes import decorated, grad_mode
from inplace_guard.analysis.frames import Frame, State
from inplace_guard.analysis.machine import Kept
from inplace_guard.analysis.tape import Place
from inplace_guard.analysis.values import (
    MAYBE,
    NO,
    NONE,
    NUMBER,
    UNKNOWN,
    YES,
    Array,
    Builtin,
    Class,
    Const,
    Context,
    Ctx,
    Dict,
    Either,
    Fields,
    Func,
    Handle,
    Lazy,
    Method,
    Module,
    Name,
    Number,
    Obj,
    Optimizer,
    Partial,
    Seq,
    Super,
    Tensor,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter

GRAD_MODES = frozenset({"no_grad", "enable_grad", "inference_mode", "set_grad_enabled"})
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


def call(it: Interpreter, node: ast.Call) -> Value:
    function = node.func
    if isinstance(function, ast.Attribute):
        receiver = it.eval(function.value)
        args, kwargs = arguments(it, node)
        stamps = [it.stamp(arg) if isinstance(arg, Tensor) else 0 for arg in args]
        stamp = it.stamp(receiver) if isinstance(receiver, Tensor) else 0
        result = call_method(it, receiver, function.attr, args, kwargs, node)
        graph_rules.other_names(it, function.value, receiver, stamp)
        result = graph_rules.as_held(it, function.value, result)
        if function.attr == "copy_" and isinstance(receiver, Tensor) and isinstance(function.value, ast.Subscript):
            base = function.value.value  # `x[a:b].copy_(y)` is `x[a:b] = y`
            whole = it.look(base.id) if isinstance(base, ast.Name) else UNKNOWN
            graph_rules.other_names(it, base, whole, stamp, receiver.region)
        return graph_rules.eaten(it, node, args, stamps, result)
    if isinstance(function, ast.Name) and function.id == "super":
        return super_call(it, node)
    callee = it.eval(function)
    args, kwargs = arguments(it, node)
    stamps = [it.stamp(arg) if isinstance(arg, Tensor) else 0 for arg in args]
    return graph_rules.eaten(it, node, args, stamps, call_value(it, callee, args, kwargs, node))


def arguments(it: Interpreter, node: ast.Call) -> tuple[list[Value], dict[str, Value]]:
    args: list[Value] = []
    for arg in node.args:
        if isinstance(arg, ast.Starred):
            items, _ = containers.iterate(it, it.eval(arg.value), arg)
            args += items
        else:
            args.append(it.eval(arg))
    kwargs: dict[str, Value] = {}
    for keyword in node.keywords:
        value = it.eval(keyword.value)
        if keyword.arg is not None:
            kwargs[keyword.arg] = value
        elif isinstance(value, Dict):
            kwargs.update({k: v for k, v in it.entries(value).items() if isinstance(k, str) and k != "*"})
    return args, kwargs


def super_call(it: Interpreter, node: ast.Call) -> Value:
    frame: Frame | None = it.frame
    while frame is not None and frame.cls is None:
        frame = frame.parent
    if frame is None or not isinstance(frame.func, FunctionNode) or not frame.func.args.args:
        return UNKNOWN
    receiver = frame.locals.get(frame.func.args.args[0].arg, UNKNOWN)
    return Super(receiver, frame.cls)


def call_method(
    it: Interpreter, receiver: Value, name: str, args: list[Value], kwargs: dict[str, Value], node: ast.Call
) -> Value:
    if name == "register_forward_hook" and args and isinstance(receiver, Tensor | Unknown):
        return module_methods.unseen_hook(it, args[0], node)
    if isinstance(receiver, Tensor):
        cell = it.heap.get(("member", min(receiver.mem), name)) if receiver.mem and not it.sure(receiver) else None
        if cell is not None:
            return call_value(it, cell, args, kwargs, node)
        return tensor_methods.call_method(it, receiver, name, args, kwargs, node)
    if isinstance(receiver, Seq | Dict):
        chain = isinstance(receiver, Seq) and receiver.kind in ("sequential", "modulelist")
        if chain and name in module_methods.METHODS:
            return module_methods.METHODS[name](it, receiver, args, kwargs, node)
        return container_methods.call_method(it, receiver, name, args, kwargs, node)
    if isinstance(receiver, Module) and name in module_methods.METHODS:
        return module_methods.METHODS[name](it, receiver, args, kwargs, node)
    if isinstance(receiver, Module) and name in ("forward", "__call__"):
        return nn_modules.call(it, receiver, args, kwargs, node)
    if isinstance(receiver, Optimizer):
        return optimizers.optimizer_method(it, receiver, name, args, kwargs, node)
    if isinstance(receiver, Array):
        return builtin_calls.array_method(it, receiver, name, args, kwargs, node)
    if isinstance(receiver, Ctx):
        return custom_function.ctx_method(it, receiver, name, args, kwargs, node)
    if isinstance(receiver, Either):
        return each(it, receiver, lambda option: call_method(it, option, name, args, kwargs, node))
    if isinstance(receiver, Const | Number):
        return builtin_calls.text_method(it, receiver, name, args, kwargs)
    if isinstance(receiver, Handle):
        if name == "remove":
            module_methods.unhook(it, receiver)
        return NONE
    if isinstance(receiver, Builtin) and receiver.name == "dict" and name == "fromkeys" and args:
        keys, _ = containers.iterate(it, args[0], node)
        value = args[1] if len(args) > 1 else NONE
        for m in (m for t in it.tensors(value) for m in t.mem):
            it.heap["shared", m] = True  # one tensor under every key
        known = {key.value: value for key in keys if isinstance(key, Const) and expressions.hashable(key.value)}
        return it.dict_(known or {"*": value})
    if isinstance(receiver, Context):
        return receiver
    if isinstance(receiver, Builtin) and receiver.name == "GradScaler":
        return optimizers.scaler_method(it, name, args, kwargs, node)
    if name == "shuffle" and args and isinstance(args[0], Array):  # of a numpy Generator
        writes.write_array(it, args[0], name, node)
        return NONE
    if isinstance(receiver, Unknown | Builtin) and name in GRAD_MODES:  # `torch, nn = try_import_torch()`
        return torch_names.call(it, f"torch.{name}", args, kwargs, node)
    callee = attributes.load(it, receiver, name, node)
    if name == "zero_grad" and callee is UNKNOWN and isinstance(receiver, Obj) and optimizers.is_one(it, receiver):
        return optimizers.zero_grad(it, it.heap[receiver.oid, "param_groups"], args, kwargs, node)
    if isinstance(callee, Tensor | Unknown) and isinstance(receiver, Obj):
        # `self.proj(x)` where what self.proj is cannot be seen: in a module, most likely another module.
        return opaque(it, callee, args, kwargs, node, saves=receiver.cls.is_module, label=f"self.{name}")
    return call_value(it, callee, args, kwargs, node)


def call_value(it: Interpreter, callee: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    if isinstance(callee, Func):
        return call_function(it, callee, args, kwargs, node)
    if isinstance(callee, Name):
        return torch_names.call(it, callee.dotted, args, kwargs, node)
    if isinstance(callee, Builtin):
        return builtin_calls.call(it, callee.name, args, kwargs, node)
    if isinstance(callee, Class):
        return definitions.instantiate(it, callee.info, args, kwargs, node)
    if isinstance(callee, Module) or (isinstance(callee, Seq) and callee.kind == "sequential"):
        return nn_modules.call(it, callee, args, kwargs, node)
    if isinstance(callee, Obj):
        return call_object(it, callee, args, kwargs, node)
    if isinstance(callee, Method):
        return call_bound(it, callee, args, kwargs, node)
    if isinstance(callee, Fields):
        given = dict(zip(callee.names, args, strict=False)) | kwargs
        made = it.seq([containers.kept(it, given.get(name, NONE)) for name in callee.names], "tuple")
        it.heap[made.oid, "fields"] = callee.names
        return made
    if isinstance(callee, Partial):
        return call_value(it, callee.func, [*callee.args, *args], {**callee.kwargs, **kwargs}, node)
    if isinstance(callee, Either):
        return alternatives(it, callee, args, kwargs, node)
    if isinstance(callee, Context):  # torch.no_grad()(function)
        return args[0] if args else callee
    return opaque(it, callee, args, kwargs, node, saves=isinstance(callee, Tensor | Unknown))


def alternatives(it: Interpreter, either: Either, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """Call one of several things; of those that cannot be seen, a module keeps its input if one that can be seen
    does (`self.pos_emb(x)` may be after the shape of x alone)."""
    unseen = [o for o in either.options if isinstance(o, Tensor | Unknown)]
    options = [o for o in either.options if o not in unseen]
    inputs = {m for t in it.tensors(*args, *kwargs.values()) for m in t.mem}
    kept = not options

    def run(option: Value) -> Value:
        nonlocal kept
        if option in unseen:
            return opaque(it, option, args, kwargs, node, saves=kept)
        before = {m: len(it.mem(m).saves) for m in inputs}
        value = call_value(it, option, args, kwargs, node)
        kept = kept or any(len(it.mem(m).saves) > count for m, count in before.items())
        return value

    return each(it, Either((*options, *unseen)), run)


def each(it: Interpreter, either: Either, run: Callable[[Value], Value]) -> Value:
    """Call every option in a world of its own and join."""
    before = it.fork()
    so_far: State | None = None
    result: Value = UNKNOWN
    for option in either.options:
        it.resume((before[0].fork(), dict(before[1])))
        value = run(option)
        if so_far is None:
            so_far, result = it.current(), value
            continue
        result = joins.join(it, result, value, so_far[0], it.heap)
        it.join([so_far, it.current()])
        so_far = it.current()
    return result


def call_bound(it: Interpreter, method: Method, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    receiver = method.receiver
    if isinstance(receiver, Class):
        return custom_function.apply(it, receiver.info, args, kwargs, node)
    if isinstance(receiver, Obj | Module | Seq) and method.name in module_methods.METHODS:
        return module_methods.METHODS[method.name](it, receiver, args, kwargs, node)
    if isinstance(receiver, Module | Seq) and method.name == "forward":
        return nn_modules.call(it, receiver, args, kwargs, node)
    if isinstance(receiver, Super):
        if method.name == "__init__":
            base_init(it, receiver, args, kwargs, node)
            return NONE
        return opaque(it, UNKNOWN, args, kwargs, node, saves=False)
    if isinstance(receiver, Tensor):
        return tensor_methods.call_method(it, receiver, method.name, args, kwargs, node)
    if isinstance(receiver, Seq | Dict):
        return container_methods.call_method(it, receiver, method.name, args, kwargs, node)
    return UNKNOWN


def base_init(it: Interpreter, value: Super, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> None:
    """`super().__init__(…)` of a class on top of torch.nn.Linear, Embedding, …: it has that module's parameters."""
    if not isinstance(value.receiver, Obj):
        return
    obj = value.receiver
    base = next((d for d in obj.cls.all_outside if d.startswith("torch.nn.") and d != "torch.nn.Module"), None)
    if base is not None:
        made = torch_names.call(it, base, args, kwargs, node)
        if isinstance(made, Module | Seq):
            it.heap[obj.oid, "__base__"] = made
    elif any(d.startswith("torch.optim.") for d in obj.cls.all_outside):
        optimizers.base_init(it, obj, args)
    elif "torch.autograd.graph.saved_tensors_hooks" in obj.cls.all_outside:
        it.heap[obj.oid, "__mode__"] = differentiation.hooks(it, args, kwargs, node)


def call_object(it: Interpreter, obj: Obj, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    for name in ("__call__", "forward") if obj.cls.is_module else ("__call__",):
        found = obj.cls.method(name)
        if found is not None:
            function, owner = found
            outer, it.chain = it.chain, False
            args = module_methods.run_pre_hooks(it, obj, args, node)
            method: Value = Func(function, owner.frame, obj, owner)
            if function.decorator_list:
                method = attributes.class_attribute(it, obj.cls, obj, name, node)
            result = call_value(it, method, args, kwargs, node)
            it.chain = outer
            return module_methods.run_hooks(it, obj, args, result, node)
    base = it.heap.get((obj.oid, "__base__"))
    if isinstance(base, Module | Seq):
        return nn_modules.call(it, base, args, kwargs, node)
    return opaque(it, obj, args, kwargs, node, saves=obj.cls.is_module or obj.cls.opaque)


def call_function(it: Interpreter, func: Func, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    function = func.node
    if len(it.stack) >= 24 or it.stack.count(function) >= 2:
        return opaque(it, UNKNOWN, args, kwargs, node, saves=False)
    around = func.frame or (it.around(func.cls) if func.cls is not None else it.top(it.home))
    frame = Frame(function, around, func.cls)
    if frame.scope is it.home:
        if it.frame.scope is it.home:
            return run(it, func, frame, args, kwargs)
        return abroad.back_home(it, lambda: run(it, func, frame, args, kwargs))
    frame.via = it.frame.via if it.frame.scope is frame.scope else it.place(node)
    if isinstance(func.receiver, Obj) and (cls := func.receiver.cls).scope not in (frame.scope, it.home):
        frame.via = Place(cls.node, cls.scope, frame.via)  # inherited: the file of the subclass has a say, too
    if it.frame.scope is not it.home:
        return run(it, func, frame, args, kwargs)
    owner = func.receiver if isinstance(func.receiver, Obj) and func.receiver.cls.is_module else None
    value = None
    if owner is None or (owner.oid, "__parameters__") not in it.heap:
        value = abroad.run(it, function, lambda: run(it, func, frame, args, kwargs))
    module_methods.handed_over(it, [*args, *kwargs.values()])
    if value is not None:
        return value
    if func.wrapped is not None:
        return call_value(it, func.wrapped, args, kwargs, node)
    if owner is not None and func.name == "__init__":
        # One stands for all: what it holds is not known.
        it.heap[owner.oid, "__parameters__"] = nn_modules.parameter(it)
        return NONE
    # A method of a module reads its parameters, in all likelihood, unless it cuts the history.
    forward = func.name == "forward"
    reads = owner is not None and (forward or not bodies.cuts(frame.scope, function))
    return opaque(it, owner if owner and reads else UNKNOWN, args, kwargs, node, saves=forward)


def run(it: Interpreter, func: Func, frame: Frame, args: list[Value], kwargs: dict[str, Value]) -> Value:
    function = func.node
    if func.receiver is not None:
        args = [func.receiver, *args]
    signatures.bind_parameters(it, frame, function, args, kwargs)
    if not isinstance(function, ast.Lambda):
        if frame.scope.is_generator(function):
            return Lazy(function, frame)
        if decorated(frame.scope, function, "functools.lru_cache", "functools.cache"):
            result = it.run_function(function, frame)
            for t in it.tensors(result):
                for m in t.mem:
                    it.heap["shared", m] = True
            return result
    mode = grad_mode(frame.scope, function)
    if mode is None:
        return it.run_function(function, frame)
    outer = it.heap["grad"], it.heap["inference"]
    it.heap["grad"], it.heap["inference"] = mode == "enable_grad", mode == "inference"
    try:
        return it.run_function(function, frame)
    finally:
        it.heap["grad"], it.heap["inference"] = outer


def opaque(
    it: Interpreter,
    callee: Value,
    args: list[Value],
    kwargs: dict[str, Value],
    node: ast.AST,
    *,
    saves: bool,
    label: str = "",
) -> Value:
    """Call something that cannot be seen: it makes something new of its arguments, and a module probably keeps them."""
    module_methods.handed_over(it, [*args, *kwargs.values()])
    inputs = [t for t in it.tensors(*args, *kwargs.values()) if t.kind not in ("int", "bool")]
    if not inputs and not saves:
        return UNKNOWN
    if not it.heap["grad"]:
        return it.tensor(NO, sure=False, origin="result")
    req = max((it.req(t) for t in inputs), default=NO)
    if saves:
        req = max(req, MAYBE)
    if not req:
        return it.tensor(NO, sure=False, origin="result")
    name = label or (ast.unparse(node.func) if isinstance(node, ast.Call) and short(node.func) else "a call")
    # What comes behind the first argument and was not computed here is a target, a length or a mask, most likely.
    given = [*args, *kwargs.values()]
    direct = [t for i, t in enumerate(given) if isinstance(t, Tensor) and t in inputs and (i == 0 or it.nodes(t))]
    kept: list[Kept] = [(t, "input", "opaque", MAYBE) for t in direct] if saves else []
    weights = nn_modules.unseen_parameter(it, callee) if saves or isinstance(callee, Obj) else None
    if weights is not None:
        kept.append((weights, "weight", "opaque", MAYBE))
    recorded = it.record(name, it.place(node), inputs, min(req, MAYBE), kept)
    return it.tensor(MAYBE, (recorded,), sure=False, origin="result")


def short(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and short(node.value))


__all__ = ["NUMBER", "YES", "Unknown", "call", "call_value", "expressions"]
