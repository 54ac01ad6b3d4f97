"""The parameters of a function: what each is bound to, by what was passed, its annotation, its default, or what kind of
function it belongs to."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from inplace_guard.analysis import nn_modules
from inplace_guard.analysis.values import MAYBE, NO, NONE, NUMBER, PERHAPS, UNKNOWN, YES, Const, Tensor, Value

if TYPE_CHECKING:
    from inplace_guard.analysis.frames import Frame
    from inplace_guard.analysis.interpreter import Interpreter

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef

TENSORS = frozenset({"torch.Tensor", "torch.FloatTensor", "torch.DoubleTensor", "torch.HalfTensor"})
INTEGERS = frozenset({"torch.LongTensor", "torch.IntTensor", "torch.BoolTensor", "torch.ByteTensor"})
NUMBERS = frozenset({"int", "float", "str", "bool", "bytes", "complex"})
OTHERS = frozenset({"list", "List", "dict", "Dict", "tuple", "Tuple", "set", "Sequence", "Iterable", "Callable"})


def parameter(it: Interpreter, arg: ast.arg, default: ast.expr | None, origin: str | None) -> Value:
    """The value of a parameter that was not given. Without `origin` the default counts; with it (the function is an
    entry, called by someone unseen) only a default that is not None does."""
    if default is not None and not (origin is not None and constant_none(default)):
        cell = ("default", default)
        made_here = isinstance(default, ast.Call)  # `carry=torch.zeros(3)`, not the name of something else
        value = it.heap.get(cell) if made_here else None
        if value is None:
            value = it.heap[cell] = it.eval(default)  # once, as Python does: every call gets the same object
            for t in it.tensors(value) if made_here else ():
                for m in t.mem:
                    it.heap["shared", m] = True
        if origin is not None and isinstance(value, Const) and isinstance(value.value, bool):
            return NUMBER  # a switch: both ways are looked at
        return value
    if origin is None:
        return UNKNOWN
    known = annotated(it, arg.annotation, origin)
    value = known if known is not None else it.tensor(MAYBE, sure=False, origin=origin)
    if default is not None and isinstance(value, Tensor):
        # Left out unless someone wants it: a cache of past keys, a state to go on from. Training passes none.
        it.mark_optional(value)
        value = value.but(req=NO)
    return value


def constant_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def annotated(it: Interpreter, node: ast.expr | None, origin: str) -> Value | None:
    """The value that an annotation stands for; None if it says nothing."""
    if node is None:
        return None
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            try:
                return annotated(it, ast.parse(node.value, mode="eval").body, origin)
            except SyntaxError:
                return None
        return NONE if node.value is None else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return optional(it, [node.left, node.right], origin)
    if isinstance(node, ast.Subscript):
        head = node.value.id if isinstance(node.value, ast.Name) else getattr(node.value, "attr", "")
        if head == "Optional":
            return optional(it, [node.slice, ast.Constant(None)], origin)
        if head == "Union" and isinstance(node.slice, ast.Tuple):
            return optional(it, node.slice.elts, origin)
        if (it.scope.dotted(node.value) or "").startswith("jaxtyping.") and isinstance(node.slice, ast.Tuple):
            inner = annotated(it, node.slice.elts[0], origin)
            if isinstance(inner, Tensor) and head in ("Int", "Bool", "Int32", "Int64", "UInt8"):
                return inner.but(req=NO, kind="int")
            return inner
        return UNKNOWN if head in OTHERS else None
    dotted = it.scope.dotted(node)
    if dotted in TENSORS:
        return it.tensor(MAYBE, origin=origin)
    if dotted in INTEGERS:
        return it.tensor(NO, kind="int", origin=origin)
    if dotted == "torch.nn.Parameter":
        return it.tensor(YES, origin="param")
    if dotted is not None and (dotted == "torch.nn.Module" or dotted.startswith("torch.nn.")):
        return nn_modules.unseen(it)
    if isinstance(node, ast.Name):
        if node.id in NUMBERS:
            return NUMBER
        if node.id in OTHERS:
            return UNKNOWN
    if dotted is not None:
        return UNKNOWN if dotted.startswith(("numpy.", "torch.")) else None
    return None


def optional(it: Interpreter, parts: list[ast.expr], origin: str) -> Value | None:
    """A union: with a tensor in it, something that is a tensor unless it is None."""
    values = [annotated(it, part, origin) for part in parts]
    for value in values:
        if isinstance(value, Tensor):
            others = [v for v in values if v is not value and not (isinstance(v, Const) and v.value is None)]
            if not others:
                it.believe(value.but(sure=False))
            return value.but(sure=False)
    known = [v for v in values if v is not None and not isinstance(v, Const)]
    if len(known) != 1:
        return UNKNOWN if known else None
    return PERHAPS if known[0] is NUMBER and len(values) > 1 else known[0]


def bind_parameters(
    it: Interpreter,
    frame: Frame,
    function: FunctionNode | ast.Lambda,
    args: list[Value],
    kwargs: dict[str, Value],
    origin: str | None = None,
) -> None:
    """Bind arguments; with `origin`, those not given are taken as unknown (an entry), else by their defaults."""
    spec = function.args
    names = [*spec.posonlyargs, *spec.args]
    defaults: dict[str, ast.expr] = {}
    for each, default in zip(reversed(names), reversed(spec.defaults), strict=False):
        defaults[each.arg] = default
    for each, maybe in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        if maybe is not None:
            defaults[each.arg] = maybe
    left = dict(kwargs)
    caller, it.frame = it.frame, frame.parent or frame  # annotations and defaults mean what they mean there
    for i, each in enumerate([*names, *spec.kwonlyargs]):
        if i < len(args) and i < len(names):
            value = args[i]
        elif each.arg in left:
            value = left.pop(each.arg)
        else:
            value = parameter(it, each, defaults.get(each.arg), origin)
        unsure = isinstance(value, Tensor) and not value.sure and each.annotation is not None
        if unsure and it.scope.dotted(each.annotation) in TENSORS and isinstance(value, Tensor):
            value = value.but(sure=True)
        frame.locals[each.arg] = value
    it.frame = caller
    if it.opinions:
        given = it.tensors(*(v for v in frame.locals.values() if v is not frame.locals.get("self")))
        frame.given = frozenset(m for t in given for m in t.mem)
    if spec.vararg is not None:
        rest = args[len(names) :]
        frame.locals[spec.vararg.arg] = it.seq(rest, "tuple", open_end=origin is not None)
    if spec.kwarg is not None:
        frame.locals[spec.kwarg.arg] = it.dict_({**left, "*": UNKNOWN} if origin is not None else left)
