"""Generator functions, run when someone iterates over them, and context managers."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from inplace_guard.analysis import calls
from inplace_guard.analysis.values import NONE, UNKNOWN, Func, Lazy, Obj, Seq, Value

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter


def force(it: Interpreter, lazy: Lazy) -> Seq:
    """Run the generator to its end and collect what it yields."""
    lazy.frame.yields = []
    it.run_function(lazy.node, lazy.frame)
    return it.seq(lazy.frame.yields or [], "list", open_end=True)


def inline(it: Interpreter, lazy: Lazy, body: Callable[[Value], bool]) -> bool:
    """Run the generator with `body` in place of each yield, in the frame of the caller: what stands behind a yield runs
    after the body, as it does in Python. Whether some path gets to the end."""
    caller = it.frame
    alive = True

    def resume(value: Value) -> Value:
        nonlocal alive
        inner, it.frame = it.frame, caller
        stack, it.stack = it.stack, it.stack[:depth]
        try:
            alive = body(value) and alive
        finally:
            it.frame, it.stack = inner, stack
        return UNKNOWN

    depth = len(it.stack)
    lazy.frame.on_yield = resume
    it.run_function(lazy.node, lazy.frame)
    return alive


def enter(it: Interpreter, value: Value, node: ast.AST) -> Value:
    """`with value as …`."""
    if isinstance(value, Obj):
        found = value.cls.method("__enter__")
        if found is not None:
            return calls.call_function(it, Func(found[0], found[1].frame, value, found[1]), [], {}, node)
    return value


def leave(it: Interpreter, value: Value, node: ast.AST) -> None:
    """The end of a with block."""
    if isinstance(value, Obj):
        found = value.cls.method("__exit__")
        if found is not None:
            calls.call_function(it, Func(found[0], found[1].frame, value, found[1]), [NONE, NONE, NONE], {}, node)
