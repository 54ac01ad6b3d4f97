"""Calling things by their imported name: torch's functions and classes that the op table cannot describe."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from inplace_guard import ops
from inplace_guard.analysis import (
    builtin_calls,
    calls,
    containers,
    custom_function,
    graph_rules,
    nn_modules,
    tensor_methods,
    torch_ops,
)
from inplace_guard.analysis.machine import Kept
from inplace_guard.analysis.tape import Hazard, Node, Place, Save, Write
from inplace_guard.analysis.values import (
    FALSE,
    MAYBE,
    NO,
    NONE,
    NUMBER,
    TRUE,
    UNKNOWN,
    YES,
    Array,
    Builtin,
    Const,
    Context,
    Dict,
    Fields,
    Module,
    Name,
    Number,
    Obj,
    Optimizer,
    Partial,
    Seq,
    Tensor,
    Value,
)

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter

OPERATORS = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "pow": "pow", "floordiv": "floor_divide"}
KINDS = {
    **dict.fromkeys(("torch.long", "torch.int64", "torch.int", "torch.int32", "torch.uint8", "torch.int16"), "int"),
    "torch.bool": "bool",
}

Handler = Callable[["Interpreter", list[Value], dict[str, Value], ast.AST], Value]


def call(it: Interpreter, dotted: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    handler = HANDLERS.get(dotted)
    if handler is not None:
        return handler(it, args, kwargs, node)
    head, _, _ = dotted.partition(".")
    if head == "torch":
        return torch_call(it, dotted, args, kwargs, node)
    if head in ("numpy", "cupy"):
        return builtin_calls.numpy_call(it, dotted.rpartition(".")[2], args, kwargs, node)
    if head in ("math", "os", "time", "random", "re", "json", "logging", "warnings", "sys", "pathlib"):
        return NUMBER
    return calls.opaque(it, UNKNOWN, args, kwargs, node, saves=False)


def torch_call(it: Interpreter, dotted: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    name = dotted.rpartition(".")[2]
    if dotted.startswith("torch.nn.") and dotted.count(".") == 2 and name[:1].isupper():
        return nn_modules.make(it, dotted, args, kwargs, node)
    if dotted.startswith("torch.optim.") and dotted.count(".") == 2 and name[:1].isupper():
        return make_optimizer(it, name, args, kwargs)
    if dotted.startswith("torch.sparse.") and torch_ops.find(dotted) is None:
        dotted = f"torch.{name}"
    op = torch_ops.find(dotted)
    if op is None:
        return torch_ops.unlisted(it, dotted, args, kwargs, node)
    if dotted.startswith("torch.Tensor.") and args and isinstance(args[0], Tensor):
        return tensor_methods.call_method(it, args[0], name, args[1:], kwargs, node)
    flag = kwargs.pop("requires_grad", None) if "requires_grad" in kwargs else None
    if dotted.startswith("torch.nn.init."):
        return initialised(it, dotted, args, kwargs, node)
    result = torch_ops.apply(it, dotted, args, kwargs, node)
    if name in ("split", "chunk", "tensor_split"):
        result = tensor_methods.sized(it, result, name, args[1:])
    if isinstance(result, Tensor) and isinstance(flag, Const) and flag.value:
        it.require(result, YES)
    element = kwargs.get("dtype")
    if isinstance(result, Tensor) and isinstance(element, Name) and element.dotted in KINDS:
        result = result.but(kind=KINDS[element.dotted], req=NO)
    again = kwargs.get("replacement", args[2] if len(args) > 2 else NONE)
    drawn = name == "multinomial" and isinstance(again, Const) and again.value is True
    if isinstance(result, Tensor) and (name == "randint" or drawn):
        return result.but(origin="repeats", kind="int")
    return result


def initialised(it: Interpreter, dotted: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """torch.nn.init works under no_grad."""
    grad, it.heap["grad"] = it.heap["grad"], False
    try:
        return torch_ops.apply(it, dotted, args, kwargs, node)
    finally:
        it.heap["grad"] = grad


# Making tensors


def tensor(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """torch.tensor(data): a copy, cut from the history of what it is made of."""
    flag = kwargs.get("requires_grad")
    req = YES if isinstance(flag, Const) and flag.value else NO
    sources = it.tensors(*args)
    cut = "tensor" if any(it.req(t) == YES and it.nodes(t) for t in sources) else ""
    if args and isinstance(args[0], Number):
        cut = args[0].cut
    if cut and req:  # a new leaf in place of a loss: backward runs, and nothing behind it gets a gradient
        write = Write("torch.tensor", Place(node), "backward")
        it.report(Hazard("IPG303", write, None, None, text="tensor"))
    numbers = literal_numbers(it, args[0]) if args else []
    repeats = len(set(numbers)) < len(numbers) and all(isinstance(n, int) for n in numbers)
    kind = "int" if numbers and all(isinstance(n, int) for n in numbers) and not req and "dtype" not in kwargs else ""
    nodes: tuple[Node, ...] = ()
    if cut and not req and sources:
        # The values go on, the history does not: told if some backward would have wanted it.
        lost = Node("torch.tensor", Place(node), (), MAYBE)
        mark = Save(0, lost, "result", "tensor", YES)
        lost.saves = (mark,)
        it.heap[mark] = Write("torch.tensor", Place(node), "backward")
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
                return value
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


# Grad mode and backward


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
    tensor_methods.run_backward(it, outputs, args[3:4], kwargs, node)
    create = kwargs.get("create_graph", args[4] if len(args) > 4 else FALSE)
    nodes = ()
    req = NO
    if isinstance(create, Const) and create.value and it.heap["grad"]:
        req = max((it.req(t) for t in outputs), default=NO)
        if req:
            nodes = (it.record("grad", Place(node), outputs, req),)  # type: ignore[assignment]
    count = len(it.tensors(wanted)) if isinstance(wanted, Seq) else 1
    grads = [it.tensor(req, nodes) for _ in range(max(count, 1))]
    if summed(it, outputs, it.tensors(wanted)):
        for t in grads:
            it.heap["gradient", min(t.mem)] = "IPG206"
    return it.seq(grads, "tuple", open_end=not isinstance(wanted, Seq))


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
    segment = it.record("checkpoint", Place(node), [], MAYBE, kept)
    outer = it.heap["hooks"]
    it.heap["hooks"] = "checkpoint"
    try:
        result = calls.call_value(it, function, given, extra, node)
    finally:
        it.heap["hooks"] = outer
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


# Optimizers


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
        for t in optimizer_params(it, optimizer):
            if t.origin == "param" or it.req(t) == YES:
                how = "unversioned" if optimizer.unversioned else "optimizer"
                label = f"{optimizer.label}.step()"
                it.write(t.but(many=True), "step", Place(node), how, label=label)
    elif name == "zero_grad":
        flag = kwargs.get("set_to_none", args[0] if args else TRUE)
        graph_rules.zero_gradients(it, optimizer_params(it, optimizer), flag, node)
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
                    it.write(grad_, "unscale_", Place(node), "unversioned")
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
        it.write(t, "vector_to_parameters", Place(node), "rebind")
    return NONE


def clip(name: str) -> Handler:
    def handler(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
        graph_rules.clip_gradients(it, it.tensors(args[0]) if args else [], name, node)
        return NUMBER

    return handler


def pack_into(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    if len(args) > 1 and isinstance(args[1], Array):
        torch_ops.write_array(it, args[1], "pack_into", node)
    return NONE


def foreach(name: str) -> Handler:
    def handler(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
        for t in it.tensors(args[0]) if args else ():
            it.write(t.but(many=False), name, Place(node))
        return args[0] if args else NONE

    return handler


# Python's own


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
        return it.tensor(it.req(value) if not it.nodes(value) else NO, kind=value.kind, origin=value.origin)
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


def ordered(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    if args and isinstance(args[0], Seq):
        return args[0]
    return builtin_calls.dictionary(it, args, kwargs, node)


def is_tensor(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    return TRUE if args and isinstance(args[0], Tensor) and args[0].sure else NUMBER


def uninitialised(kind: str) -> Handler:
    def handler(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
        return it.tensor(NO, kind=kind)

    return handler


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(("torch.Tensor", "torch.FloatTensor", "torch.DoubleTensor"), uninitialised("")),
    **dict.fromkeys(("torch.LongTensor", "torch.IntTensor", "torch.ByteTensor"), uninitialised("int")),
    "torch.tensor": tensor,
    "torch.sparse_coo_tensor": sparse("torch.sparse_coo_tensor", 1),
    "torch.sparse_csr_tensor": sparse("torch.sparse_csr_tensor", 2),
    "torch.sparse_csc_tensor": sparse("torch.sparse_csc_tensor", 2),
    "torch.from_numpy": shared("numpy"),
    "torch.from_dlpack": shared("dlpack"),
    "torch.utils.dlpack.from_dlpack": shared("dlpack"),
    "torch.utils.dlpack.to_dlpack": to_dlpack,
    "torch.to_dlpack": to_dlpack,
    "torch.frombuffer": shared("buffer"),
    "torch.as_tensor": shared("as_tensor"),
    "torch.asarray": shared("as_tensor"),
    "torch.no_grad": mode("no_grad"),
    "torch.inference_mode": mode("inference"),
    "torch.enable_grad": mode("enable_grad"),
    "torch.set_grad_enabled": set_grad_enabled,
    "torch.is_grad_enabled": is_grad_enabled,
    "torch.is_tensor": is_tensor,
    "torch.autocast": other_context,
    "torch.autograd.graph.saved_tensors_hooks": hooks,
    "torch.autograd.graph.save_on_cpu": hooks,
    "torch.autograd.set_detect_anomaly": other_context,
    "torch.autograd.detect_anomaly": other_context,
    "torch.autograd.backward": backward,
    "torch.autograd.grad": grad,
    "torch.utils.checkpoint.checkpoint": checkpoint,
    "torch.nn.utils.vector_to_parameters": vector_to_parameters,
    "torch.nn.utils.convert_parameters.vector_to_parameters": vector_to_parameters,
    "torch.nn.utils.clip_grad_norm_": clip("clip_grad_norm_"),
    "torch.nn.utils.clip_grad_value_": clip("clip_grad_value_"),
    "struct.pack_into": pack_into,
    "torch.amp.GradScaler": scaler,
    "torch.cuda.amp.GradScaler": scaler,
    "torch.compile": itself,
    "torch.jit.script": itself,
    "torch.nn.utils.spectral_norm": itself,
    "torch.nn.utils.weight_norm": itself,
    "torch.nn.utils.parametrizations.spectral_norm": itself,
    "torch.optim.swa_utils.AveragedModel": deep_copy,
    "torch.finfo": lambda it, args, kwargs, node: Builtin("finfo"),
    "torch.manual_seed": lambda it, args, kwargs, node: NONE,
    "functools.partial": partial,
    "functools.reduce": reduce_,
    "collections.namedtuple": namedtuple_,
    "types.SimpleNamespace": lambda it, args, kwargs, node: it.dict_(dict(kwargs), "namespace"),
    "torch.utils.checkpoint.checkpoint_sequential": checkpoint_sequential,
    **{f"operator.i{op}": inplace_operator(f"{name}_") for op, name in OPERATORS.items()},
    "functools.wraps": lambda it, args, kwargs, node: Builtin("identity"),
    "copy.copy": shallow_copy,
    "copy.deepcopy": deep_copy,
    "itertools.chain": chained,
    "collections.OrderedDict": ordered,
    "collections.defaultdict": lambda it, args, kwargs, node: it.dict_({}),
    "collections.deque": lambda it, args, kwargs, node: builtin_calls.copied("list")(it, args[:1], {}, node),
    "tqdm.tqdm": itself,
    "tqdm.auto.tqdm": itself,
}
for _name in (
    "add",
    "mul",
    "div",
    "sub",
    "addcmul",
    "addcdiv",
    "lerp",
    "zero",
    "clamp_min",
    "clamp_max",
    "copy",
    "neg",
):
    HANDLERS[f"torch._foreach_{_name}_"] = foreach(f"_foreach_{_name}_")

__all__ = ["call", "make_optimizer", "ops", "optimizer_method", "param_groups", "scaler_method"]
