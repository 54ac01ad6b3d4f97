"""`for` and `while`, and what leaves them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from inplace_guard.analysis import containers, expressions, generators, picking
from inplace_guard.analysis.frames import State
from inplace_guard.analysis.values import NONE, Const, Lazy, Seq, Value

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter


def loop(it: Interpreter, node: ast.For | ast.AsyncFor) -> bool:
    value = containers.lazily(it, it.eval(node.iter), node)
    if isinstance(value, Lazy):
        return inlined_loop(it, node, value)
    items, open_end = by_number(it, node, value) or containers.iterate(it, value, node.iter, at_least=2)
    if open_end and len(items) == 2 and it.scope.trains:
        # What one training step leaves, the next one builds on, and the one after that pays for.
        items += containers.iterate(it, value, node.iter, at_least=2)[0][-1:]
    return rounds(it, node, items, open_end)


def by_number(it: Interpreter, node: ast.For | ast.AsyncFor, value: Value) -> tuple[list[Value], bool] | None:
    """The rounds of `for k in range(16): x = self.layers[k](x)`, by what sort of module each number stands for."""
    numbers = it.heap.get((value.oid, "numbers")) if isinstance(value, Seq) else None
    if numbers is None or not isinstance(node.target, ast.Name):
        return None
    for part in (part for statement in node.body for part in ast.walk(statement)):
        called = part.func if isinstance(part, ast.Call) else None
        index = called.slice if isinstance(called, ast.Subscript) else None
        if isinstance(called, ast.Subscript) and isinstance(index, ast.Name) and index.id == node.target.id:
            modules = it.eval(called.value)
            items = it.items(modules) if isinstance(modules, Seq) else ()
            if len(numbers) > len(items) or not all(0 <= n < len(items) for n in numbers):
                return None
            known: list[Value] = [Const(n) for n in numbers]
            return picking.fewer(it, known, containers.MOST_ITEMS, [items[n] for n in numbers]), False
    return None


def inlined_loop(it: Interpreter, node: ast.For | ast.AsyncFor, value: Lazy) -> bool:
    """A loop over a generator: its body runs at each yield."""
    frame = it.frame
    outer = frame.breaks, frame.continues
    frame.breaks, frame.continues = [], []

    def once(item: Value) -> bool:
        containers.bind(it, node.target, item)
        ends = [it.current()] if it.exec(node.body) else []
        ends += frame.continues
        frame.continues = []
        return it.join(ends)

    generators.inline(it, value, once)
    breaks = frame.breaks
    frame.breaks, frame.continues = outer
    return it.join([it.current(), *breaks])


def rounds(it: Interpreter, node: ast.For | ast.AsyncFor | ast.While, items: list[Value], open_end: bool) -> bool:
    """Run a loop body once an item; what iteration 1 saved, iteration 2 may write."""
    frame = it.frame
    outer = frame.breaks, frame.continues
    frame.breaks, frame.continues = [], []
    exits: list[State] = []
    alive = True
    for number, item in enumerate(items):
        if open_end and number:  # at least one round: a loop that never runs has nothing to tell
            exits.append(it.fork())
        if isinstance(node, ast.For | ast.AsyncFor):
            containers.bind(it, node.target, item)
            if not number:
                frame.looped.update(part.id for part in ast.walk(node.target) if isinstance(part, ast.Name))
        elif expressions.truth(it, it.eval(node.test)) is False:
            break
        ends = [it.current()] if it.exec(node.body) else []
        ends += frame.continues
        frame.continues = []
        alive = it.join(ends)
        if not alive:
            break
    if alive:
        exits.append(it.current())
    breaks = frame.breaks
    frame.breaks, frame.continues = outer
    # The last exit comes first: it is the base that the shorter runs are joined into.
    alive = it.join(reversed(exits))
    if alive and node.orelse:
        alive = it.exec(node.orelse)
    return it.join(([it.current()] if alive else []) + breaks)


def repeated(it: Interpreter, node: ast.While) -> bool:
    endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
    return rounds(it, node, [NONE, NONE], not endless)


def broken(it: Interpreter, node: ast.Break) -> bool:
    it.frame.breaks.append(it.fork())
    return False


def continued(it: Interpreter, node: ast.Continue) -> bool:
    it.frame.continues.append(it.fork())
    return False
