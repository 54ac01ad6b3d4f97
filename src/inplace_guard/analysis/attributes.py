"""Reading and setting attributes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from inplace_guard import ops
from inplace_guard.analysis import (
    calls,
    containers,
    definitions,
    expressions,
    graph_rules,
    imports,
    module_methods,
    nn_modules,
    refusals,
    tensor_methods,
    torch_ops,
    writes,
)
from inplace_guard.analysis.classes import ClassInfo, decorated
from inplace_guard.analysis.values import (
    AS_FAR_AS_IT_GOES,
    FALSE,
    MAYBE,
    NO,
    NUMBER,
    PLAIN,
    TRUE,
    UNKNOWN,
    VIEW,
    YES,
    Array,
    Builtin,
    Class,
    Const,
    Ctx,
    Dict,
    Either,
    Func,
    Method,
    Module,
    Name,
    Obj,
    Optimizer,
    Partial,
    Seq,
    Super,
    Tensor,
    Value,
)

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter


# The fields of the named tuples that torch's ops return.
NAMED_RESULTS = {
    "values": 0, "indices": 1, "sign": 0, "logabsdet": 1, "eigenvalues": 0, "eigenvectors": 1, "Q": 0, "R": 1, "U": 0,
    "S": 1, "V": 2, "Vh": 2, "L": 0, "solution": 0, "residuals": 1, "LU": 0, "pivots": 1, "mantissa": 0, "exponent": 1,
}  # fmt: skip


def load(it: Interpreter, value: Value, name: str, node: ast.AST) -> Value:
    if isinstance(value, Tensor):
        return tensor_attribute(it, value, name, node)
    if isinstance(value, Obj):
        return object_attribute(it, value, name, node)
    if isinstance(value, Name):
        return imports.attribute(it, value, name)
    if isinstance(value, Module):
        return nn_modules.attribute(it, value, name)
    if isinstance(value, Class):
        return class_attribute(it, value.info, None, name, node)
    if isinstance(value, Super):
        return super_attribute(it, value, name)
    if isinstance(value, Ctx):
        kept: Value = it.heap.get((value.oid, name), UNKNOWN)
        return kept
    if isinstance(value, Either):
        results = [load(it, option, name, node) for option in value.options]
        joined = results[0]
        for result in results[1:]:
            joined = expressions.join_values(it, joined, result)
        return joined
    if isinstance(value, Array):
        return value if name in ("T", "flat", "real") else NUMBER if name in ("shape", "dtype", "size") else UNKNOWN
    if isinstance(value, Optimizer) and name == "param_groups":
        params = it.heap.get((value.oid, "params"), UNKNOWN)
        return it.seq([it.dict_({"params": params, "*": NUMBER})], open_end=True)
    if isinstance(value, Builtin) and value.name == "finfo":
        return Const({"min": -3.4e38, "max": 3.4e38}[name]) if name in ("min", "max") else NUMBER
    if isinstance(value, Seq) and name in (fields := it.heap.get((value.oid, "fields"), ())):
        return it.items(value)[list(fields).index(name)]
    if isinstance(value, Dict) and value.kind == "namespace":
        return it.entries(value).get(name, UNKNOWN)
    if isinstance(value, Seq) and name in NAMED_RESULTS:
        items = it.items(value)
        index = NAMED_RESULTS[name]
        return items[index] if index < len(items) else UNKNOWN
    if isinstance(value, Dict) and value.kind == "moduledict" and name in it.entries(value):
        return it.entries(value)[name]
    if isinstance(value, Seq | Dict | Optimizer):
        return Method(value, name)
    return UNKNOWN


def tensor_attribute(it: Interpreter, t: Tensor, name: str, node: ast.AST) -> Value:
    if name == "data":
        it.believe(t)
        shadow = t.shadow or it.nodes(t)
        stamp = t.stamp if t.detached or t.origin == "kept gradient" else 0
        return t.but(bypass="data", detached=True, nodes=(), req=NO, leaf_view=False, shadow=shadow, stamp=stamp)
    if name == "grad":
        return gradient(it, t)
    if name == "requires_grad":
        req = it.req(t)
        # What may require grad does, in the world that is looked at.
        return TRUE if req == YES else AS_FAR_AS_IT_GOES if req else FALSE if it.sure(t) else NUMBER
    if name == "is_leaf":
        return NUMBER
    if t.sure or it.sure(t) or name in ("T", "mT", "shape", "dtype", "device", "ndim"):
        result = ops.attribute(name)
        if result is not None:
            if not result.tensor:
                return NUMBER
            if result.relation == "view":
                req = it.req(t) if it.heap["grad"] else NO
                nodes = (it.record(name, it.place(node), [t], req),) if req else ()
                origin = "strided" if name in torch_ops.STRIDED else ""
                leaf = bool(nodes) and (t.leaf_view or it.leaf(t))
                return t.but(req=req, nodes=nodes, view=max(t.view, VIEW), origin=origin, leaf_view=leaf)
        if name in tensor_methods.SPECIAL or ops.method(name) is not None:
            return Method(t, name)
    return member(it, t, name)


def member(it: Interpreter, t: Tensor, key: object) -> Value:
    """An attribute or item of something unknown: the same each time it is asked for."""
    if not t.mem:
        return UNKNOWN
    cell = ("member", min(t.mem), key)
    value = it.heap.get(cell)
    if value is None:
        value = it.heap[cell] = it.tensor(min(it.req(t), MAYBE), it.nodes(t), sure=False, origin=t.origin)
        if it.optional(t):
            it.mark_optional(value)
    return value


def gradient(it: Interpreter, t: Tensor) -> Value:
    """`.grad`: one tensor for each leaf, replaced by backward."""
    parts: list[Tensor] = []
    for m in t.mem:
        value = it.heap.get(("grad", m))
        if value is None:
            value = it.heap["grad", m] = it.tensor(NO, origin="grad")
        parts.append(value)
    if len(parts) == 1:
        return parts[0]
    return Tensor(frozenset().union(*(part.mem for part in parts)), origin="grad", many=True)


def object_attribute(it: Interpreter, obj: Obj, name: str, node: ast.AST) -> Value:
    value: Value | None = it.heap.get((obj.oid, name))
    if value is not None:
        return value
    base = it.heap.get((obj.oid, "__base__"))
    if isinstance(base, Module) and (name == "inplace" or (base.oid, name) in it.heap):
        return nn_modules.attribute(it, base, name)
    if name == "__dict__":
        return UNKNOWN
    found = class_attribute(it, obj.cls, obj, name, node)
    if found is not UNKNOWN:
        return found
    if obj.cls.is_module:
        if name == "training":
            return TRUE
        if name in module_methods.METHODS:
            return Method(obj, name)
    if "__getattr__" in obj.cls.methods or not (obj.cls.opaque or obj.cls.is_module):
        return UNKNOWN
    value = it.heap[obj.oid, name] = it.tensor(MAYBE, sure=False, origin="attribute")
    return value


def class_attribute(it: Interpreter, info: ClassInfo, receiver: Obj | None, name: str, node: ast.AST) -> Value:
    found = info.method(name)
    if found is not None:
        function, owner = found
        if decorated(owner.scope, function, "staticmethod"):
            return Func(function, owner.frame, None, owner)
        if decorated(owner.scope, function, "classmethod"):
            return Func(function, owner.frame, Class(info), owner)
        if receiver is not None and decorated(
            owner.scope, function, "property", "cached_property", "functools.cached_property"
        ):
            value = calls.call_value(it, Func(function, owner.frame, receiver, owner), [], {}, node)
            if decorated(owner.scope, function, "cached_property", "functools.cached_property"):
                it.heap[receiver.oid, name] = value
            return value
        if function.decorator_list and receiver is not None:
            frame = it.around(owner)
            made = definitions.decorate(it, function, Func(function, frame, None, owner), frame)
            if isinstance(made, Func):
                return made.bound_to(receiver)
            if isinstance(made, Partial):
                return Partial(made, (receiver,), {})
        return Func(function, owner.frame, receiver, owner)
    constant = info.value(name)
    if constant is not None:
        expression, owner = constant
        known: Value | None = it.heap.get(("class value", expression))
        if known is not None:
            return known
        caller, it.frame = it.frame, it.around(owner)
        try:
            value = it.heap["class value", expression] = it.eval(expression)
        finally:
            it.frame = caller
        for t in it.tensors(value):
            for m in t.mem:
                it.heap["shared", m] = True  # one object for all instances
        return value
    if info.is_function and name == "apply":
        return Method(Class(info), "apply")
    return UNKNOWN


def super_attribute(it: Interpreter, value: Super, name: str) -> Value:
    receiver = value.receiver
    if isinstance(receiver, Obj):
        base = it.heap.get((receiver.oid, "__base__"))
        if name == "forward" and base is not None and receiver.cls.method(name, value.after) is None:
            return Method(base, "forward")
        found = receiver.cls.method(name, value.after)
        if found is None and name == "__call__" and receiver.cls.is_module:
            found = receiver.cls.method("forward")  # what a module does when it is called
        if found is not None:
            return Func(found[0], found[1].frame, receiver, found[1])
        if name in module_methods.METHODS and receiver.cls.is_module:
            return Method(receiver, name)
    return Method(value, name)


def store(it: Interpreter, owner: Value, name: str, value: Value, node: ast.AST) -> None:
    """`owner.name = value`."""
    if isinstance(owner, Obj):
        found = owner.cls.method(name)
        if found is not None and decorated(found[1].scope, found[0], "property"):
            setter = next((info for info in owner.cls.mro if name in info.setters), None)
            if setter is not None:
                function = Func(setter.setters[name], setter.frame, owner, setter)
                calls.call_function(it, function, [value], {}, node)
            return
        it.heap[owner.oid, name] = value
    elif isinstance(owner, Ctx):
        value = containers.kept(it, value)
        it.heap[owner.oid, name] = value
        it.heap.setdefault((owner.oid, "attributes"), {})
        it.heap[owner.oid, "attributes"] = {**it.heap[owner.oid, "attributes"], name: value}
    elif isinstance(owner, Module):
        it.heap[owner.oid, name] = value
    elif isinstance(owner, Dict) and owner.kind == "namespace":
        it.heap[owner.oid, "{}"] = {**it.entries(owner), name: value}
    elif isinstance(owner, Tensor):
        store_on_tensor(it, owner, name, value, node)
    elif isinstance(owner, Either):
        for option in owner.options:
            store(it, option, name, value, node)


def store_on_tensor(it: Interpreter, t: Tensor, name: str, value: Value, node: ast.AST) -> None:
    if name == "data" and not it.sure(t):  # many classes have an attribute of that name
        it.heap["member", min(t.mem), name] = value
    elif name == "data":
        sources = it.tensors(value)
        write = it.write(t.but(bypass="rebind"), "data", it.place(node), "rebind")
        if isinstance(value, Tensor) and value.origin == t.origin == "param" and value.view == PLAIN:
            for m in value.mem - t.mem:
                it.heap["lent", m] = t.mem
        writes.past_autograd(it, t, write, sources)
    elif name == "requires_grad":
        if t.detached and isinstance(value, Const) and value.value and value is not AS_FAR_AS_IT_GOES:
            containers.new_leaf(it, t)
        elif isinstance(value, Const) and not (it.nodes(t) and not value.value):
            it.require(t, MAYBE if value is AS_FAR_AS_IT_GOES else YES if value.value else NO)
    elif name in ("grad", "_grad"):
        for m in t.mem:
            if isinstance(value, Tensor):
                graph_rules.stale_gradient(it, [value])
                it.heap["grad", m] = value.but(origin="grad") if value.origin == "kept gradient" else value
                for g in value.mem if "grad" in value.origin else ():
                    it.heap["lent grad", g] = t.mem
                    it.heap.pop(("zeroed", g), None)
            else:
                it.heap.pop(("grad", m), None)
    elif len(t.mem) == 1:
        if any(getattr(function, "name", "") == "__init__" for function in it.stack):
            refusals.replaced(it, it.heap.get(("member", min(t.mem), name)), value)
        it.heap["member", min(t.mem), name] = value
