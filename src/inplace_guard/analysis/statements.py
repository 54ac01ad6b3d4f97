"""Executing statements. A handler returns whether some path goes on to the next statement."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from inplace_guard.analysis import (
    calls,
    containers,
    definitions,
    dereferences,
    dunders,
    expressions,
    generators,
    graph_rules,
    imports,
    loops,
    registries,
    torch_ops,
    writes,
)
from inplace_guard.analysis.frames import State
from inplace_guard.analysis.values import (
    MAYBE,
    NONE,
    UNKNOWN,
    Array,
    Const,
    Context,
    Dict,
    Lazy,
    Name,
    Obj,
    Seq,
    Tensor,
    Value,
)

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter

INPLACE: dict[type[ast.operator], str] = {
    ast.Add: "add_",
    ast.Sub: "sub_",
    ast.Mult: "mul_",
    ast.Div: "div_",
    ast.FloorDiv: "floor_divide_",
    ast.Mod: "remainder_",
    ast.Pow: "pow_",
    ast.BitAnd: "bitwise_and_",
    ast.BitOr: "bitwise_or_",
    ast.BitXor: "bitwise_xor_",
    ast.LShift: "bitwise_left_shift_",
    ast.RShift: "bitwise_right_shift_",
}


GRAD_FLAGS = frozenset({"requires_grad", "is_grad_enabled", "training"})  # `assert not x.requires_grad`: no training

LASTING = frozenset({"buffer", "grad", "kept gradient"})  # origins that a test does not replace


def expression(it: Interpreter, node: ast.Expr) -> bool:
    it.eval(node.value)
    return not ends_the_program(it, node.value)


def ends_the_program(it: Interpreter, node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and it.scope.dotted(node.func) in ("sys.exit", "os._exit")


def assign(it: Interpreter, node: ast.Assign) -> bool:
    value = it.eval(node.value)
    value = containers.kept(it, value)
    if isinstance(value, Seq) and isinstance(node.targets[0], ast.Tuple):
        graph_rules.swapped(it, node.targets[0], value, node)
    if isinstance(node.value, ast.Name) and isinstance(value, Tensor) and node.value.id in it.frame.locals:
        it.frame.locals[node.value.id] = value.but()  # from now on two names, of one age
        graph_rules.renamed(it, value)
    several = len(node.targets) > 1 and isinstance(value, Tensor)
    for target in node.targets:
        if several and isinstance(value, Tensor) and isinstance(target, ast.Name):
            value = value.but(origin=f"chained {target.id}")  # a = b = zeros(3): one tensor, two names
        if isinstance(target, ast.Subscript):
            base = it.eval(target.value)
            stamp = it.stamp(base) if isinstance(base, Tensor) else 0
            containers.bind(it, target, value)
            graph_rules.other_names(it, target.value, base, stamp, it.eval(target.slice))
        else:
            containers.bind(it, target, value)
            if isinstance(target, ast.Name):
                it.frame.looped.discard(target.id)
    return True


def annotated(it: Interpreter, node: ast.AnnAssign) -> bool:
    if node.value is not None:
        containers.bind(it, node.target, it.eval(node.value))
    return True


def augmented(it: Interpreter, node: ast.AugAssign) -> bool:
    target = node.target
    if isinstance(target, ast.Subscript):
        base, index = it.eval(target.value), it.eval(target.slice)
        current = containers.item(it, base, index, target)
        value = it.eval(node.value)
        result = augment(it, node, current, value)
        containers.store_item(it, base, index, result, node, augmented=value)
        return True
    current = it.eval(target)
    stamp = it.stamp(current) if isinstance(current, Tensor) else 0
    value = it.eval(node.value)
    containers.bind(it, target, containers.kept(it, augment(it, node, current, value)), node)
    graph_rules.other_names(it, target, current, stamp)
    return True


def augment(it: Interpreter, node: ast.AugAssign, current: Value, value: Value) -> Value:
    op = type(node.op)
    if isinstance(current, Tensor) and op in INPLACE:
        return torch_ops.apply(it, f"torch.Tensor.{INPLACE[op]}", [current, value], {}, node)
    if isinstance(current, Array):
        writes.write_array(it, current, op.__name__.lower(), node)
        return current
    if isinstance(current, Seq) and current.kind == "list" and op is ast.Add:
        items, open_end = containers.iterate(it, value, node)
        containers.extend(it, current, items, open_end)
        return current
    if isinstance(current, Dict) and op is ast.BitOr:
        return containers.merge(it, current, value)
    called = dunders.augmented(it, op, current, value, node)
    return expressions.binary_op(it, op, current, value, node) if called is None else called


def delete(it: Interpreter, node: ast.Delete) -> bool:
    for target in node.targets:
        if isinstance(target, ast.Name):
            it.frame.locals.pop(target.id, None)
        elif isinstance(target, ast.Subscript):
            containers.remove(it, it.eval(target.value), it.eval(target.slice))
    return True


def returned(it: Interpreter, node: ast.Return) -> bool:
    value = it.eval(node.value) if node.value is not None else NONE
    it.frame.returns.append((it.current(), value))
    it.resume(it.fork())
    return False


def raised(it: Interpreter, node: ast.Raise) -> bool:
    return False


def branch(it: Interpreter, node: ast.If) -> bool:
    test, negated, block = node.test, False, it.block
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, negated = test.operand, not negated
    outer, it.split_at = it.split_at, len(it.stack) if isinstance(test, ast.Call) else -1
    it.split = None
    known = expressions.truth(it, it.eval(node.test))
    split, it.split, it.split_at = it.split, None, outer
    if known is not None:
        return it.exec(node.body if known else node.orelse)
    impossible = dereferences.rejects_none(test, negated, block, node)
    if impossible is not None:
        narrow(it, test, not impossible)
        return it.exec(node.body if impossible is negated else node.orelse)
    if split is not None and isinstance(test, ast.Call):
        it.heap = split[not negated]
        before: State = (split[negated], dict(it.frame.locals))
    else:
        before = it.fork()
    narrow(it, node.test, True)
    ends: list[State] = []
    if it.exec(node.body):
        ends.append(it.current())
    it.resume(before)
    narrow(it, node.test, False)
    if it.exec(node.orelse):
        ends.append(it.current())
    return it.join(ends)


def narrow(it: Interpreter, test: ast.expr, holds: bool) -> None:
    """What a test tells of a plain name: `x is None`, `isinstance(x, torch.Tensor)`, `torch.is_tensor(x)`."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        narrow(it, test.operand, not holds)
    elif isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is holds:
        for part in test.values:
            narrow(it, part, holds)
    elif isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.left, ast.Name):
        right = test.comparators[0]
        if isinstance(right, ast.Constant) and right.value is None:
            isnone = isinstance(test.ops[0], ast.Is | ast.Eq) is holds
            value = it.frame.locals.get(test.left.id)
            if isinstance(value, Tensor) and isnone:
                it.frame.locals[test.left.id] = NONE
    elif isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.left, ast.Attribute):
        tested = test.left.value if test.left.attr == "dtype" else None
        value = it.frame.locals.get(tested.id) if isinstance(tested, ast.Name) else None
        if holds and isinstance(tested, ast.Name) and isinstance(value, Tensor) and value.origin not in LASTING:
            it.frame.locals[tested.id] = value.but(origin="of a dtype")
    elif isinstance(test, ast.Call) and test.args and isinstance(test.args[0], ast.Name):
        value = it.frame.locals.get(test.args[0].id)
        if not isinstance(value, Tensor) or (value.sure and it.sure(value)):
            return
        tested_for = it.scope.dotted(test.func)
        if isinstance(test.func, ast.Name) and test.func.id == "isinstance" and len(test.args) == 2:
            tested_for = it.scope.dotted(test.args[1])
            if holds and tested_for not in ("torch.Tensor", "torch.nn.Parameter"):
                it.frame.locals[test.args[0].id] = containers.not_a_tensor(it, test.args[1])
                return
        elif tested_for != "torch.is_tensor":
            return
        if holds:
            it.frame.locals[test.args[0].id] = value.but(sure=True)
        elif tested_for in ("torch.Tensor", "torch.is_tensor"):
            # A number or an array; tensors may still be in it, but none that is known to have a graph.
            value = value.but(req=min(it.req(value), MAYBE), nodes=it.nodes(value), detached=True)
            it.frame.locals[test.args[0].id] = value


def tried(it: Interpreter, node: ast.Try) -> bool:
    before = it.fork()
    frame = it.frame
    left = len(frame.returns), len(frame.breaks), len(frame.continues)
    ends: list[State] = []
    if it.exec(node.body) and it.exec(node.orelse):
        ends.append(it.current())
    for handler in node.handlers:
        it.resume((before[0].fork(), dict(before[1])))
        if handler.name:
            it.frame.locals[handler.name] = UNKNOWN
        if it.exec(handler.body):
            ends.append(it.current())
    if node.finalbody:
        finish_leaving(it, node.finalbody, left)
    return it.join(ends) and it.exec(node.finalbody)


def finish_leaving(it: Interpreter, body: list[ast.stmt], left: tuple[int, int, int]) -> None:
    """Run a finally block on the paths that leave the try statement by return, break or continue."""
    frame = it.frame
    returns, frame.returns[left[0] :] = frame.returns[left[0] :], []
    for state, value in returns:
        it.resume(state)
        if it.exec(body):
            frame.returns.append((it.current(), value))
    for states, start in ((frame.breaks, left[1]), (frame.continues, left[2])):
        leaving, states[start:] = states[start:], []
        for state in leaving:
            it.resume(state)
            if it.exec(body):
                states.append(it.current())


def with_(it: Interpreter, node: ast.With | ast.AsyncWith) -> bool:
    return entered(it, node, 0)


def entered(it: Interpreter, node: ast.With | ast.AsyncWith, number: int) -> bool:
    """The body of a with statement under its items from `number` on."""
    if number == len(node.items):
        return it.exec(node.body)
    item = node.items[number]
    value = it.eval(item.context_expr)
    if isinstance(value, Name):  # `with torch.no_grad:` is an error, but the meaning is clear
        value = calls.call_value(it, value, [], {}, item.context_expr)

    def body(target: Value) -> bool:
        if item.optional_vars is not None:
            containers.bind(it, item.optional_vars, target)
        return entered(it, node, number + 1)

    if isinstance(value, Lazy):  # a generator under @contextmanager
        return generators.inline(it, value, body)
    mode = it.heap.get((value.oid, "__mode__")) if isinstance(value, Obj) else value
    if isinstance(mode, Context):
        return in_mode(it, mode, lambda: body(value))
    alive = body(generators.enter(it, value, item.context_expr))
    if alive:
        generators.leave(it, value, item.context_expr)
    return alive


def in_mode(it: Interpreter, context: Context, body: Callable[[], bool]) -> bool:
    saved = {cell: it.heap[cell] for cell in ("grad", "hooks", "inference")}
    if context.mode in ("no_grad", "enable_grad", "inference"):
        it.heap["grad"] = context.mode == "enable_grad"
        it.heap["inference"] = context.mode == "inference"
    elif context.mode in ("hooked", "copied"):
        it.heap["hooks"] = context.mode
    frame = it.frame
    left = len(frame.returns), len(frame.breaks), len(frame.continues)
    alive = body()
    # Paths that leave the block (return, break, continue) leave the mode as well.
    inside = [state for state, _ in frame.returns[left[0] :]]
    inside += frame.breaks[left[1] :] + frame.continues[left[2] :] + [it.current()]
    for heap, _ in inside:
        for cell, value in saved.items():
            heap[cell] = value
    return alive


def defined(it: Interpreter, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    it.frame.locals[node.name] = definitions.define(it, node, it.frame)
    if isinstance(node, ast.ClassDef) and node.decorator_list and it.frame is it.globals:
        registries.register(it, node)
    return True


def imported(it: Interpreter, node: ast.Import | ast.ImportFrom) -> bool:
    for local, dotted in it.scope.imported(node).items():
        it.frame.locals[local] = imports.value(it, it.scope, dotted)
    return True


def asserted(it: Interpreter, node: ast.Assert) -> bool:
    known = expressions.truth(it, it.eval(node.test))
    if known is None:
        narrow(it, node.test, True)
    about_grad = any(isinstance(n, ast.Attribute) and n.attr in GRAD_FLAGS for n in ast.walk(node.test))
    return not (known is False and (about_grad or isinstance(node.test, ast.Constant)))


def matched(it: Interpreter, node: ast.Match) -> bool:
    it.eval(node.subject)
    before = it.fork()
    ends: list[State] = [it.fork()]
    for case in node.cases:
        it.resume((before[0].fork(), dict(before[1])))
        if it.exec(case.body):
            ends.append(it.current())
    return it.join(ends)


HANDLERS: dict[type[ast.stmt], Callable[[Interpreter, Any], bool]] = {
    ast.Expr: expression,
    ast.Assign: assign,
    ast.AnnAssign: annotated,
    ast.AugAssign: augmented,
    ast.Delete: delete,
    ast.Return: returned,
    ast.Raise: raised,
    ast.If: branch,
    ast.For: loops.loop,
    ast.AsyncFor: loops.loop,
    ast.While: loops.repeated,
    ast.Break: loops.broken,
    ast.Continue: loops.continued,
    ast.Try: tried,
    ast.With: with_,
    ast.AsyncWith: with_,
    ast.FunctionDef: defined,
    ast.AsyncFunctionDef: defined,
    ast.ClassDef: defined,
    ast.Import: imported,
    ast.ImportFrom: imported,
    ast.Assert: asserted,
    ast.Match: matched,
}
if hasattr(ast, "TryStar"):
    HANDLERS[ast.TryStar] = tried

__all__ = ["HANDLERS", "Const"]
