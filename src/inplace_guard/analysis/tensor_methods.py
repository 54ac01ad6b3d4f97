"""Methods of tensors that need more than the op table says."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from inplace_guard import ops
from inplace_guard.analysis import calls, containers, nn_modules, torch_ops
from inplace_guard.analysis.tape import Hazard, Node, Write
from inplace_guard.analysis.values import (
    AS_FAR_AS_IT_GOES,
    MAYBE,
    NO,
    NONE,
    NUMBER,
    PLAIN,
    UNKNOWN,
    YES,
    Array,
    Const,
    Name,
    Number,
    Seq,
    Tensor,
    Value,
)

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter

Handler = Callable[["Interpreter", Tensor, list[Value], dict[str, Value], ast.AST], Value]

# Methods that strings, lists, dicts, arrays and data frames have too: calling one shows nothing about the receiver.
RARE_DTYPES = frozenset(
    f"torch.{name}" for name in ("float64", "double", "float16", "half", "bfloat16", "long", "int64", "int32", "bool")
)
STORED_VIEWS = frozenset({"transpose", "reshape", "view", "squeeze", "swapaxes", "ravel"})
SHARED = frozenset(
    {
        "abs", "add", "all", "any", "apply", "argmax", "argmin", "argsort", "astype", "bool", "byte", "char", "clear",
        "clip", "clone", "close", "copy", "count", "cpu", "cuda", "cumprod", "cumsum", "data", "diff", "dim", "div",
        "dot", "double", "eq", "equal", "fill", "filter", "flatten", "float", "ge", "get", "gt", "half", "index",
        "insert", "int", "item", "items", "keys", "le", "long", "lt", "map", "max", "mean", "median", "min", "mode",
        "mul", "ne", "nonzero", "norm", "numpy", "pop", "pow", "prod", "ravel", "repeat", "replace", "reset", "reshape",
        "round", "select", "shape", "short", "size", "sort", "split", "squeeze", "stack", "std", "sub", "sum",
        "swapaxes", "take", "to", "tolist", "trace", "transpose", "type", "unique", "update", "values", "var", "view",
        "where"
    }
)  # fmt: skip


def call_method(
    it: Interpreter, t: Tensor, name: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    if name in ("parameters", "named_parameters"):  # no tensor has these
        weights = nn_modules.unseen_parameter(it, t)
        if weights is not None:
            row = weights if name == "parameters" else it.seq([NUMBER, weights], "tuple")
            return it.seq([row], open_end=True)
    if name in ("state_dict", "load_state_dict"):
        weights = nn_modules.unseen_parameter(it, t)
        if weights is not None:
            return nn_modules.unseen_state(it, weights, args)
    if name == "sample" and t.origin == "distribution":  # rsample() is what gradients go through
        return it.tensor(NO)
    special = SPECIAL.get(name)
    if special is not None and (it.sure(t) or name in TELLING):
        return special(it, t, args, kwargs, node)
    if ops.method(name) is not None and not (name == "values" and not it.sure(t)):  # of a dict, nearly always
        if t.origin == "stored" and not it.sure(t) and name in STORED_VIEWS:
            return t
        if not it.sure(t) and name in SHARED and not tensor_like(it, t):
            return calls.opaque(it, UNKNOWN, [t, *args], kwargs, node, saves=False)
        return torch_ops.apply(it, f"torch.Tensor.{name}", [t, *args], kwargs, node)
    if name in SHARED:  # a dict or list, in which a test for its type left a tensor
        for m in t.mem:
            it.heap["container", m] = True
    saves = not it.sure(t) and t.origin == "attribute"
    made = calls.opaque(it, UNKNOWN, [t, *args], kwargs, node, saves=saves)
    if it.optional(t):
        for result in it.tensors(made):
            it.mark_optional(result)
    if name not in SHARED and not it.sure(t):
        forget(it, t)
    return made


def forget(it: Interpreter, t: Tensor) -> None:
    """A method of an unseen class may set what was stored in the object: `g.ndata["h"] = h; g.update_all(…)`."""
    of = [cell for cell in it.heap if type(cell) is tuple and cell[0] == "member"]
    own = [cell for cell in of if cell[1] in t.mem]
    within = {m for cell in own if isinstance(value := it.heap[cell], Tensor) for m in value.mem}
    for cell in (cell for cell in of if cell[1] in within):
        it.heap.pop(cell)


def tensor_like(it: Interpreter, t: Tensor) -> bool:
    """An argument of a module's forward, or what an unseen callee made of one: in all likelihood a tensor."""
    return t.origin in ("forward", "result") or bool(t.nodes)


def backward(it: Interpreter, t: Tensor, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    it.believe(t)
    run_backward(it, [t], args[1:2], kwargs, node)
    return NONE


def run_backward(
    it: Interpreter,
    roots: list[Tensor],
    retain: list[Value],
    kwargs: dict[str, Value],
    node: ast.AST,
    beyond: frozenset[Node] = frozenset(),
) -> None:
    from inplace_guard.analysis import graph_rules

    place = it.place(node)
    graph_rules.check_roots(it, roots, place)
    keep = kwargs.get("retain_graph", retain[0] if retain else kwargs.get("create_graph", NONE))
    retained = not (isinstance(keep, Const) and not keep.value)
    it.backward(roots, place, retain=retained, beyond=beyond)


def detach(it: Interpreter, t: Tensor, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    cut = "detach" if it.req(t) == YES else t.cut
    shadow = t.shadow or it.nodes(t)
    stamp = t.stamp if t.detached or t.origin == "kept gradient" else 0  # the alias of an alias is as old as that
    return t.but(
        detached=True, nodes=(), req=NO, leaf_view=False, cut=cut, view=min(t.view, 1), shadow=shadow, stamp=stamp
    )


def detach_(it: Interpreter, t: Tensor, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    if not it.leaf(t):
        it.write(t, "detach_", it.place(node))
    known = it.nodes(t)
    if t.view != PLAIN and known:  # "Can't detach views in-place"
        it.report(Hazard("IPG105", Write("detach_", it.place(node), "inplace")))
    it.cutting = True
    for m in t.mem:
        mem = it.mem(m)
        it.heap["cut", m] = (*it.heap.get(("cut", m), ()), *known)
        it.heap["cut at", m] = it.place(node)
        it.heap[m] = type(mem)(mem.saves, (), NO, mem.sure, mem.writes, mem.last)
    made = t.but(nodes=(), req=NO, cut="detach")
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        containers.bind(it, node.func.value, made)
    return made


def requires_grad_(it: Interpreter, t: Tensor, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    flag = args[0] if args else kwargs.get("requires_grad", Const(True))
    if isinstance(flag, Const) and flag.value:
        if flag is AS_FAR_AS_IT_GOES:
            if not t.detached:
                it.require(t, MAYBE)
            return t.but(req=MAYBE)
        if t.detached:
            target = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
            return containers.new_leaf(it, t, target)
        it.require(t, YES)
        return t.but(req=YES)
    if isinstance(flag, Const) and not it.nodes(t):
        it.require(t, NO)
        return t.but(req=NO)
    return t


def array(how: str) -> Handler:
    def handler(it: Interpreter, t: Tensor, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
        it.believe(t)
        return Array(t.mem, how, t)

    return handler


def python_value(it: Interpreter, t: Tensor, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    return NUMBER


def item(it: Interpreter, t: Tensor, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    return Number("item") if it.req(t) == YES else NUMBER


def register_hook(it: Interpreter, t: Tensor, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    from inplace_guard.analysis import custom_function

    if args:
        custom_function.run_hook(it, args[0], [custom_function.gradient_argument(it)], node)
    return UNKNOWN


def unversioned(it: Interpreter, t: Tensor, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    name = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else "apply_"
    it.write(t, name, it.place(node), "unversioned")
    return t


def itself(it: Interpreter, t: Tensor, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    return t


def to(it: Interpreter, t: Tensor, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    if any(isinstance(v, Const) and v.value is True for v in (kwargs.get("copy"), *args[3:4])):
        return torch_ops.apply(it, "torch.Tensor.clone", [t], {}, node)
    other = any(isinstance(v, Name) and v.dotted in RARE_DTYPES for v in (*args[:2], kwargs.get("dtype")))
    return torch_ops.apply(it, "torch.Tensor.double" if other else "torch.Tensor.float", [t], {}, node)


def unfold(it: Interpreter, t: Tensor, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    result = torch_ops.apply(it, "torch.Tensor.unfold", [t, *args], kwargs, node)
    size, step = (getattr(arg, "value", None) for arg in args[1:3]) if len(args) > 2 else (None, None)
    if isinstance(result, Tensor) and isinstance(size, int) and isinstance(step, int) and size > step:
        return result.but(expanded=True)  # the windows overlap
    return result


def set_(it: Interpreter, t: Tensor, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """set_(storage): another tensor on that memory, with a version counter of its own."""
    if (args and isinstance(args[0], Array)) or (args and isinstance(args[0], Tensor)):
        made = it.tensor(NO).but(mem=args[0].mem, bypass="storage", detached=True)
    else:
        return t
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        containers.bind(it, node.func.value, made)
    return made


def narrow(it: Interpreter, t: Tensor, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    result = torch_ops.apply(it, "torch.Tensor.narrow", [t, *args], kwargs, node)
    dim, start, length = (getattr(arg, "value", None) for arg in (*args, NONE, NONE, NONE)[:3])
    if isinstance(result, Tensor) and dim == 0 and isinstance(start, int) and isinstance(length, int):
        return result.but(region=Const(slice(start, start + length)) if t.view == PLAIN else None)
    return result


def new_tensor(it: Interpreter, t: Tensor, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    flag = kwargs.get("requires_grad")
    return it.tensor(YES if isinstance(flag, Const) and flag.value else NO)


def split(it: Interpreter, t: Tensor, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """split([a, b]) and chunk(n) and unbind(): as many pieces as can be told."""
    name = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else "split"
    return sized(it, torch_ops.apply(it, f"torch.Tensor.{name}", [t, *args], kwargs, node), name, args)


def sized(it: Interpreter, value: Value, name: str, args: list[Value]) -> Value:
    if isinstance(value, Seq) and args:
        count = None
        if isinstance(args[0], Seq) and not it.heap.get((args[0].oid, "open")):
            count = len(it.items(args[0]))
        elif name == "chunk" and isinstance(args[0], Const) and isinstance(args[0].value, int):
            count = args[0].value
        if count and count <= 16:
            first = it.items(value)[0]
            it.heap[value.oid, "[]"] = (first,) * count
            it.heap[value.oid, "open"] = False
    return value


SPECIAL: dict[str, Handler] = {
    "backward": backward,
    "detach": detach,
    "detach_": detach_,
    "requires_grad_": requires_grad_,
    "numpy": array("numpy"),
    "__array__": array("numpy"),
    "untyped_storage": array("storage"),
    "storage": array("storage"),
    "__dlpack__": array("dlpack"),
    "item": item,
    "tolist": item,
    "size": python_value,
    "dim": python_value,
    "numel": python_value,
    "nelement": python_value,
    "stride": python_value,
    "data_ptr": python_value,
    "element_size": python_value,
    "is_contiguous": python_value,
    "get_device": python_value,
    "register_hook": register_hook,
    "register_post_accumulate_grad_hook": itself,
    "retain_grad": lambda it, t, args, kwargs, node: NONE,
    "share_memory_": itself,
    "pin_memory": itself,
    "apply_": unversioned,
    "map_": unversioned,
    "to": to,
    "narrow": narrow,
    "unfold": unfold,
    "set_": set_,
    "new_tensor": new_tensor,
    "split": split,
    "chunk": split,
    "split_with_sizes": split,
}
# Among them, those that only tensors have.
TELLING = frozenset(
    {
        "__dlpack__", "backward", "chunk", "detach", "detach_", "new_tensor", "register_hook", "requires_grad_",
        "retain_grad", "share_memory_", "untyped_storage"
    }
)  # fmt: skip

__all__ = ["MAYBE", "SPECIAL", "call_method"]
