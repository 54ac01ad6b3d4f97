"""Classes and functions of the file as values: class statements, decorators, instances."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from inplace_guard.analysis import (
    calls,
    containers,
    imports,
    optimizers,
    reach,
    torch_names,
)
from inplace_guard.analysis.classes import ClassInfo
from inplace_guard.analysis.frames import Frame
from inplace_guard.analysis.values import (
    UNKNOWN,
    Builtin,
    Class,
    Func,
    Module,
    Obj,
    Partial,
    Seq,
    Value,
)

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter
    from inplace_guard.analysis.scope import Scope

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


def instantiate(it: Interpreter, info: ClassInfo, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    obj = Obj(it.new_id(), info)
    if any(dotted.startswith("torch.optim.") for dotted in info.all_outside):
        optimizers.base_init(it, obj, args)
    found = info.method("__init__")
    if info.made_of_fields:
        fields(it, obj, args, kwargs, node)
        return obj
    if found is not None:
        function, owner = found
        calls.call_function(it, Func(function, owner.frame, obj, owner), args, kwargs, node)
    else:
        base = next((dotted for dotted in info.all_outside if dotted.startswith("torch.nn.")), "")
        if base and base != "torch.nn.Module":  # class Block(nn.Sequential), class MyLinear(nn.Linear)
            made = torch_names.call(it, base, args, kwargs, node)
            if isinstance(made, Module | Seq):
                it.heap[obj.oid, "__base__"] = made
    if found is None:
        for name, value in kwargs.items():
            it.heap[obj.oid, name] = value
    return obj


def fields(it: Interpreter, obj: Obj, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> None:
    """The fields of a dataclass or named tuple: as given, or by their defaults."""
    names = obj.cls.all_fields
    if it.stack:
        it.gatherers.add(it.stack[-1])
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    for name in names:
        value = given.get(name)
        if value is None:
            default = obj.cls.value(name)
            if default is None:
                continue
            value = field_default(it, *default)
        it.heap[obj.oid, name] = containers.kept(it, value)
    after = obj.cls.method("__post_init__")
    if after is not None and not obj.cls.is_record:  # that of a record puts the fields where they can be counted
        calls.call_function(it, Func(after[0], after[1].frame, obj, after[1]), [], {}, node)


def field_default(it: Interpreter, default: ast.expr, owner: ClassInfo) -> Value:
    caller, it.frame = it.frame, it.around(owner)
    try:
        if isinstance(default, ast.Call) and it.scope.dotted(default.func) == "dataclasses.field":
            for keyword in default.keywords:
                if keyword.arg == "default_factory":
                    return calls.call_value(it, it.eval(keyword.value), [], {}, default)
                if keyword.arg == "default":
                    return it.eval(keyword.value)
            return UNKNOWN
        return it.eval(default)
    finally:
        it.frame = caller


def define(it: Interpreter, node: FunctionNode | ast.ClassDef, frame: Frame) -> Value:
    """The value of a def or class statement."""
    if isinstance(node, ast.ClassDef):
        return Class(class_info(it, node, frame))
    return decorate(it, node, Func(node, frame, None, frame.cls), frame)


def decorate(it: Interpreter, node: FunctionNode, func: Value, frame: Frame) -> Value:
    """Apply the decorators that are functions whose code is seen; those of torch and Python leave the function as it
    is."""
    for decorator in reversed(node.decorator_list):
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        if not isinstance(target, ast.Name | ast.Attribute) or not is_seen(frame.scope, target):
            continue
        if isinstance(target, ast.Name) and target.id in ("staticmethod", "classmethod", "property"):
            continue
        if isinstance(target, ast.Attribute) and target.attr in ("setter", "getter", "deleter"):
            continue
        caller, it.frame = it.frame, frame
        try:
            value = it.eval(decorator)
            if isinstance(value, Func | Obj | Partial):
                made = calls.call_value(it, value, [func], {}, decorator)
                if isinstance(made, Func) and made.frame is not None and made.frame.scope is not frame.scope:
                    made = Func(made.node, made.frame, made.receiver, made.cls, func)
                func = made if isinstance(made, Func | Partial | Obj) else func
        finally:
            it.frame = caller
    return func


def is_seen(scope: Scope, target: ast.expr) -> bool:
    """Whether a decorator is defined in this file, or in another one and may change what matters here."""
    dotted = scope.dotted(target)
    if dotted is None:
        return True
    name = scope.spelled(target)
    return name is not None and not imports.known(dotted) and reach.decorator_matters(scope, ast.unparse(target))


def class_info(it: Interpreter, node: ast.ClassDef, frame: Frame) -> ClassInfo:
    # A class of the top level means the same to every interpreter: it is looked at once.
    enclosing = None if frame is frame.top else frame
    scope = frame.scope
    known = scope.classes.get(node)
    if known is not None and known.frame is enclosing:
        return known
    bases: list[ClassInfo] = []
    outside: list[str] = []
    for base in node.bases:
        target = base.value if isinstance(base, ast.Subscript) else base
        dotted = scope.dotted(target)
        if dotted is not None and scope.project is None:
            outside.append(dotted)
            continue
        caller, it.frame = it.frame, frame
        try:
            value = it.eval(target)
        finally:
            it.frame = caller
        if isinstance(value, Class):
            bases.append(value.info)
        elif dotted is not None:
            outside.append(dotted)
        elif not isinstance(value, Builtin):
            outside.append("")
    info = ClassInfo(node, scope, enclosing, bases, outside)
    scope.classes[node] = info
    return info
