"""The methods that every module has: parameters, modes, state, hooks."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from inplace_guard.analysis import attributes, calls, containers, custom_function, graph_rules, picking
from inplace_guard.analysis.values import (
    FALSE,
    MAYBE,
    NO,
    NONE,
    NUMBER,
    PLAIN,
    TRUE,
    UNKNOWN,
    YES,
    Const,
    Dict,
    Func,
    Handle,
    Module,
    Obj,
    Seq,
    Tensor,
    Value,
)

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter

Handler = Callable[["Interpreter", Value, list[Value], dict[str, Value], ast.AST], Value]


def parts(it: Interpreter, root: Value) -> tuple[list[Value], list[Tensor], list[Tensor]]:
    """The modules below (and with) this one, their parameters and their buffers."""
    modules: list[Value] = []
    tensors: dict[int, Tensor] = {}
    seen: set[int] = set()
    owned: dict[Any, list[Any]] = {}
    for key, value in it.heap.items():
        if type(key) is tuple and len(key) == 2 and type(key[0]) is int:
            owned.setdefault(key[0], []).append(value)
    todo: list[Any] = [root]
    while todo:
        value = todo.pop(0)
        if isinstance(value, tuple):
            todo.extend(value)
        elif isinstance(value, dict):
            todo.extend(value.values())
        elif isinstance(value, Tensor):
            if value.origin in ("param", "buffer"):
                tensors.setdefault(id(value), value)
        elif isinstance(value, Obj | Module | Seq | Dict):
            if value.oid in seen or (isinstance(value, Obj) and not value.cls.is_module):
                continue
            if isinstance(value, Seq) and value is not root and value.kind not in ("sequential", "modulelist"):
                continue
            if isinstance(value, Dict) and value.kind != "moduledict":
                continue
            seen.add(value.oid)
            if not isinstance(value, Dict):
                modules.append(value)
            todo.extend(owned.get(value.oid, ()))
    params = [t for t in tensors.values() if t.origin == "param"]
    return modules, params, [t for t in tensors.values() if t.origin == "buffer"]


def merged(it: Interpreter, tensors: list[Tensor]) -> list[Value]:
    """All parameters as one value: what is done to each in a loop is done to all."""
    if len(tensors) <= 1:
        return list(tensors)
    mem: frozenset[int] = frozenset().union(*(t.mem for t in tensors))
    return [Tensor(mem, origin=tensors[0].origin, many=True)]


def parameters(it: Interpreter, value: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    return it.seq(merged(it, parts(it, value)[1]), "list")


def named_parameters(
    it: Interpreter, value: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    rows = [it.seq([NUMBER, t], "tuple") for t in merged(it, parts(it, value)[1])]
    return it.seq(rows, "list")


def buffers(it: Interpreter, value: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    return it.seq(merged(it, parts(it, value)[2]), "list")


def named_buffers(it: Interpreter, value: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    return it.seq([it.seq([NUMBER, t], "tuple") for t in merged(it, parts(it, value)[2])], "list")


def modules(it: Interpreter, value: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    return it.seq(parts(it, value)[0], "list")


def named_modules(it: Interpreter, value: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    return it.seq([it.seq([NUMBER, m], "tuple") for m in parts(it, value)[0]], "list")


def children(it: Interpreter, value: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    return it.seq([module for _, module in own_children(it, value)], "list")


def named_children(it: Interpreter, value: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    return it.seq([it.seq([Const(name), module], "tuple") for name, module in own_children(it, value)], "list")


def own_children(it: Interpreter, value: Value) -> list[tuple[str, Value]]:
    """The modules that this one holds itself, by name."""
    if isinstance(value, Seq):
        return [(str(i), item) for i, item in enumerate(it.items(value))]
    if not isinstance(value, Obj):
        return []
    held = [(key[1], cell) for key, cell in it.heap.items() if type(key) is tuple and key[0] == value.oid]
    return [(name, cell) for name, cell in held if name != "__base__" and is_module(cell)]


def is_module(value: object) -> bool:
    if isinstance(value, Obj):
        return value.cls.is_module
    if isinstance(value, Seq | Dict):
        return value.kind in ("sequential", "modulelist", "moduledict")
    return isinstance(value, Module)


def set_mode(mode: bool) -> Handler:
    def handler(it: Interpreter, value: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
        flag = TRUE if mode else FALSE
        if mode and args:
            if not isinstance(args[0], Const):
                return value
            flag = TRUE if args[0].value else FALSE
        for part in parts(it, value)[0]:
            if isinstance(part, Obj | Module):
                it.heap[part.oid, "training"] = flag
            if isinstance(part, Obj) and part is not value and (found := part.cls.method("train")) is not None:
                calls.call_function(it, Func(found[0], found[1].frame, part, found[1]), [flag], {}, node)
        return value

    return handler


def itself(it: Interpreter, value: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    return value


def nothing(it: Interpreter, value: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    return NONE


def zero_grad(it: Interpreter, value: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    graph_rules.zero_gradients(it, parts(it, value)[1], kwargs.get("set_to_none", args[0] if args else TRUE), node)
    return NONE


def handed_over(it: Interpreter, values: list[Value]) -> None:
    """Modules that were given to what cannot be seen well: their state may be another one afterwards (a reset)."""
    if not it.scope.trains or not any(
        value.cls.is_module if isinstance(value, Obj) else isinstance(value, Seq) and value.kind == "sequential"
        for value in values
    ):
        return
    cells: dict[int, list[tuple[object, Value]]] = {}
    for key, cell in it.heap.items():
        if type(key) is tuple and type(key[0]) is int:
            parts = cell if type(cell) is tuple else (cell,)
            cells.setdefault(key[0], []).extend((key, part) for part in parts if isinstance(part, Value))
    todo, seen = list(values), set()
    while todo:
        value = todo.pop()
        oid = getattr(value, "oid", None)
        if oid is None or oid in seen or not isinstance(value, Obj | Seq):
            continue
        seen.add(oid)
        for key, held in cells.get(oid, ()):
            if isinstance(held, Tensor) and held.nodes and it.heap.get(key) is held:
                it.heap[key] = held.but(picked=True)
            todo.append(held)


def requires_grad_(it: Interpreter, value: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    flag = args[0] if args else kwargs.get("requires_grad", TRUE)
    if isinstance(flag, Const):
        for t in parts(it, value)[1]:
            it.require(t, YES if flag.value else NO)
    return value


def state_dict(it: Interpreter, value: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    tensors = merged(it, parts(it, value)[1])
    if not tensors:
        return UNKNOWN
    alias = tensors[0]
    assert isinstance(alias, Tensor)
    return it.dict_({"*": alias.but(detached=True, stamp=it.stamp(alias), origin="snapshot")})


def load_state_dict(it: Interpreter, value: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    params = parts(it, value)[1]
    for t in it.tensors(args[0]) if args else ():
        graph_rules.stale_snapshot(it, t, params)
        if isinstance(assign := kwargs.get("assign"), Const) and assign.value and t.origin == "snapshot":
            mine = frozenset(m for p in params for m in p.mem)
            if all(it.mem(m).req == YES for m in t.mem):
                for m in mine | t.mem:
                    it.heap["lent", m] = t.mem if m in mine else mine
    for t in params:
        it.write(t, "load_state_dict", it.place(node), "no_grad")
    return UNKNOWN


def update_parameters(
    it: Interpreter, value: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """Of torch.optim.swa_utils.AveragedModel: writes its own copy."""
    for t in parts(it, value)[1]:
        it.write(t, "update_parameters", it.place(node), "no_grad")
    return NONE


def apply(it: Interpreter, value: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    for part in parts(it, value)[0] if args else ():
        calls.call_value(it, args[0], [part], {}, node)
    return value


def register(origin: str) -> Handler:
    def handler(it: Interpreter, value: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
        given = args[1] if len(args) > 1 else next(iter(kwargs.values()), UNKNOWN)
        if isinstance(value, Seq) and len(args) > 1:
            containers.extend(it, value, [args[1]])
        if args and isinstance(args[0], Const) and isinstance(value, Obj | Module):
            if isinstance(given, Tensor) and origin:
                given = given.but(origin=origin)
                for m in given.mem if origin == "buffer" else ():
                    it.heap["buffer", m] = True
            it.heap[value.oid, args[0].value] = given
        return NONE

    return handler


def run_pre_hooks(it: Interpreter, module: Value, args: list[Value], node: ast.AST) -> list[Value]:
    """Run the forward pre-hooks of a module; its arguments, as they leave them."""
    hooks = it.heap.get((getattr(module, "oid", None), "pre_hooks"))
    taken = [(t, it.stamp(t)) for t in it.tensors(*args)] if isinstance(hooks, Seq) else []
    for hook in it.items(hooks) if isinstance(hooks, Seq) else ():
        given = calls.call_value(it, hook, [module, it.seq(args, "tuple")], {}, node)
        if isinstance(given, Seq):
            args = list(it.items(given))
        elif isinstance(given, Tensor):
            args = [given]
    for t, stamp in taken:  # whoever calls the module sees as little of such a write as of that of an in-place layer
        if len(t.mem) == 1 and it.stamp(t) > stamp and (last := it.mem(min(t.mem)).last) is not None:
            last.layer = True
    return args


def run_hooks(it: Interpreter, module: Value, args: list[Value], result: Value, node: ast.AST) -> Value:
    """Run the forward hooks of a module; its result, or what a hook returns in its place."""
    hooks = it.heap.get((getattr(module, "oid", None), "forward_hooks"))
    for hook in it.items(hooks) if isinstance(hooks, Seq) else ():
        shown = result
        if isinstance(result, Tensor) and result.view == PLAIN and not result.origin:
            shown = result.but(origin="hooked")  # what the hook keeps of it, the rest of forward may yet write
            it.watched = True
        given = calls.call_value(it, hook, [module, it.seq(args, "tuple"), shown], {}, node)
        if isinstance(given, Tensor | Seq) and given is not shown:
            result = given
    return result


def hook(cell: str) -> Handler:
    def handler(it: Interpreter, value: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
        oid = getattr(value, "oid", None)
        if args and oid is not None:
            known = it.heap.get((oid, cell))
            it.heap[oid, cell] = it.seq([*(it.items(known) if isinstance(known, Seq) else ()), args[0]])
            return Handle((oid, cell), args[0])
        return UNKNOWN

    return handler


def unseen_hook(it: Interpreter, function: Value, node: ast.AST) -> Value:
    """A forward hook on a module that cannot be seen: what it leaves of the module's result goes to a backward."""
    place = it.place(node)
    made = it.record("module", place, [], YES)
    known = it.tensor(NO, (made,))
    result = known.but(mem=known.mem | {it.new_id()})  # likely, never certain
    given = calls.call_value(it, function, [UNKNOWN, it.seq([it.tensor(MAYBE)], "tuple"), result], {}, node)
    it.backward([result, *it.tensors(given)], place, retain=True, text="the backward of its result", spend=False)
    return UNKNOWN


def unhook(it: Interpreter, handle: Handle) -> None:
    """`handle.remove()`."""
    hooks = it.heap.get(handle.cell)
    if isinstance(hooks, Seq):
        it.heap[handle.cell] = it.seq([hook for hook in it.items(hooks) if hook is not handle.hook])


def backward_hook(it: Interpreter, value: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    oid = getattr(value, "oid", None)
    if args and oid is not None:
        it.heap[oid, "backward_hooks"] = True
        grads = [it.seq([custom_function.gradient_argument(it)], "tuple") for _ in range(2)]
        custom_function.run_hook(it, args[0], [value, *grads], node)
    return UNKNOWN


def backward_pre_hook(
    it: Interpreter, value: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    oid = getattr(value, "oid", None)
    if args and oid is not None:
        it.heap[oid, "backward_hooks"] = True
        grads = it.seq([custom_function.gradient_argument(it)], "tuple")
        custom_function.run_hook(it, args[0], [value, grads], node)
    return UNKNOWN


def get_submodule(it: Interpreter, value: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    path = args[0] if args else UNKNOWN
    if not isinstance(path, Const) or not isinstance(path.value, str):
        return UNKNOWN
    for part in path.value.split("."):
        if part.isdigit() and isinstance(value, Seq):
            value = picking.seq_item(it, value, Const(int(part)))
        elif part:
            value = attributes.load(it, value, part, node)
    return value


def append(it: Interpreter, value: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    if isinstance(value, Seq) and args:
        containers.extend(it, value, [args[0]])
    return value


METHODS: dict[str, Handler] = {
    "parameters": parameters,
    "named_parameters": named_parameters,
    "buffers": buffers,
    "named_buffers": named_buffers,
    "modules": modules,
    "named_modules": named_modules,
    "children": children,
    "named_children": named_children,
    "train": set_mode(True),
    "eval": set_mode(False),
    **dict.fromkeys(("to", "cuda", "cpu", "half", "float", "double", "bfloat16", "share_memory"), itself),
    "zero_grad": zero_grad,
    "requires_grad_": requires_grad_,
    "state_dict": state_dict,
    "load_state_dict": load_state_dict,
    "apply": apply,
    "update_parameters": update_parameters,
    "register_buffer": register("buffer"),
    "register_parameter": register("param"),
    "add_module": register(""),
    "register_module": register(""),
    "register_forward_hook": hook("forward_hooks"),
    "register_forward_pre_hook": hook("pre_hooks"),
    "register_full_backward_hook": backward_hook,
    "register_full_backward_pre_hook": backward_pre_hook,
    "get_submodule": get_submodule,
    "append": append,
    "extra_repr": nothing,
}
