"""Evaluating comprehensions and generator expressions."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from inplace_guard.analysis import (
    containers,
    expressions,
    generators,
)
from inplace_guard.analysis.values import (
    Const,
    Lazy,
    Value,
)

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter


def comprehension(it: Interpreter, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Value:
    items: list[Value] = []
    open_end = comprehend(it, node.generators, lambda: items.append(containers.kept(it, it.eval(node.elt))))
    return it.seq(items, "list", open_end)


def dict_comprehension(it: Interpreter, node: ast.DictComp) -> Value:
    entries: dict[Any, Value] = {}

    def add() -> None:
        key, value = it.eval(node.key), containers.kept(it, it.eval(node.value))
        name_ = key.value if isinstance(key, Const) and expressions.hashable(key.value) else "*"
        entries[name_] = expressions.join_values(it, entries[name_], value) if name_ in entries else value

    comprehend(it, node.generators, add)
    return it.dict_(entries)


def comprehend(it: Interpreter, generators: list[ast.comprehension], add: Callable[[], None]) -> bool:
    """Run a comprehension; whether there may be more items than were made."""
    if not generators:
        add()
        return False
    first, rest = generators[0], generators[1:]
    source = containers.lazily(it, it.eval(first.iter), first.iter)
    if isinstance(source, Lazy):
        return comprehend_lazily(it, source, first, rest, add)
    items, open_end = containers.iterate(it, source, first.iter)
    saved = dict(it.frame.locals)
    for item in items:
        containers.bind(it, first.target, item)
        verdicts = [expressions.truth(it, it.eval(test)) for test in first.ifs]
        if False in verdicts:
            continue
        open_end = open_end or None in verdicts
        open_end = comprehend(it, rest, add) or open_end
    for inner in ast.walk(first.target):
        if isinstance(inner, ast.Name):
            if inner.id in saved:
                it.frame.locals[inner.id] = saved[inner.id]
            else:
                it.frame.locals.pop(inner.id, None)
    return open_end


def comprehend_lazily(
    it: Interpreter, source: Lazy, first: ast.comprehension, rest: list[ast.comprehension], add: Callable[[], None]
) -> bool:
    def once(item: Value) -> bool:
        containers.bind(it, first.target, item)
        if all(expressions.truth(it, it.eval(test)) is not False for test in first.ifs):
            comprehend(it, rest, add)
        return True

    generators.inline(it, source, once)
    return True
