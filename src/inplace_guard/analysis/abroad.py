"""Running what other files define: what that may cost."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from inplace_guard.analysis.frames import Bound
from inplace_guard.analysis.values import Value

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter

MOST_ABROAD = 400  # steps that one call of what another file defines may cost
MOST_OF_SCRIPTS = 2000  # the same where a script runs: what it calls is all that it does


def run(it: Interpreter, function: ast.AST, call: Callable[[], Value]) -> Value | None:
    """Run a function of another file. What it costs does not count for the entry, but has bounds of its own: where they
    are met, all is as it was before, and the result is None."""
    budget = min(it.most_abroad, it.allowance + (it.steps - it.abroad) // 2 - it.abroad)
    if budget <= it.home.costly.get(function, 0):
        return None
    steps, limit, stack, spent, own = it.steps, it.limit, it.stack, it.abroad, it.own_limit
    it.own_limit = limit + it.most_abroad
    state = it.heap.fork(), it.frame, it.chain, it.split_at, it.split
    it.stack, it.limit = list(stack), min(steps + budget, limit)
    try:
        return call()
    except Bound:
        it.heap, it.frame, it.chain, it.split_at, it.split = state
        it.home.costly[function] = budget  # it is not tried again for this file with less than that
        for scope, top in it.tops.items():
            if scope is not it.home:
                top.locals.clear()  # what they hold may have been made on the way
        return None
    finally:
        it.stack = stack
        it.abroad += it.steps - steps
        it.limit = limit + it.abroad - spent
        it.own_limit = own


def back_home(it: Interpreter, call: Callable[[], Value]) -> Value:
    """Run a function of the analysed file that another file calls: it costs what it would have cost here."""
    steps, limit = it.steps, it.limit
    it.limit = it.own_limit
    try:
        return call()
    finally:
        it.abroad -= it.steps - steps
        it.limit = limit + it.steps - steps
