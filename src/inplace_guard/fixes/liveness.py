"""Which names and attribute paths may be read after a statement, before they get another value: a backward pass."""

from __future__ import annotations

import ast

from inplace_guard.fixes.tree import names_in, path_of, stored_by
from inplace_guard.fixes.twins import writes_itself

__all__ = ["Liveness"]

Names = frozenset[str]
_NONE: Names = frozenset()


class Liveness:
    """`after[statement]` are the names that may be read next; `always` is alive everywhere (closures, globals).

    For a statement with a body, `after` is what may be read after its own expression (test, iterable) was evaluated.
    Attribute paths outlive the function: at its end all of them are alive. With `writes_read` off, a write in place
    that nothing reads afterwards is no read of what it writes (`h.add_(x)`, `h += x`).
    """

    def __init__(self, scope: ast.AST, always: Names = _NONE, *, writes_read: bool = True) -> None:
        self.after: dict[ast.stmt, Names] = {}
        self._always = always
        self._writes_read = writes_read
        self._breaks: list[Names] = []
        self._continues: list[Names] = []
        self._raised: Names = _NONE
        paths = {path_of(node) for node in ast.walk(scope) if isinstance(node, ast.Attribute)}
        self._at_end = frozenset(path for path in paths if path)
        body = getattr(scope, "body", None)
        if isinstance(body, list):
            self._run(body, self._at_end)

    def is_read(self, path: str, statement: ast.stmt) -> bool:
        alive = self.after.get(statement, _NONE)
        return path in self._always or path in alive

    def _run(self, statements: list[ast.stmt], out: Names) -> Names:
        for statement in reversed(statements):
            out = self._step(statement, out)
        return out

    def _step(self, node: ast.stmt, out: Names) -> Names:
        if isinstance(node, ast.If):
            inner = self._run(node.body, out) | self._run(node.orelse, out)
            self._note(node, inner)
            return inner | names_in(node.test)
        if isinstance(node, ast.For | ast.AsyncFor | ast.While):
            return self._loop(node, out)
        if isinstance(node, ast.Try) or type(node).__name__ == "TryStar":
            return self._try(node, out)  # type: ignore[arg-type]
        if isinstance(node, ast.With | ast.AsyncWith):
            inner = self._run(node.body, out)
            for item in node.items:
                if item.optional_vars is not None:
                    inner -= stored_by(item.optional_vars)
            self._note(node, inner)
            return inner.union(*[names_in(item) for item in node.items])
        if isinstance(node, ast.Match):
            inner = out.union(*[self._run(case.body, out) | names_in(case.pattern) for case in node.cases])
            guards = [names_in(case.guard) for case in node.cases if case.guard is not None]
            self._note(node, inner.union(*guards))
            return inner.union(names_in(node.subject), *guards)
        return self._simple(node, out | self._raised)

    def _simple(self, node: ast.stmt, out: Names) -> Names:
        if isinstance(node, ast.Return):
            out = self._at_end | self._raised
        elif isinstance(node, ast.Raise):
            out = self._raised
        elif isinstance(node, ast.Break):
            out = self._breaks[-1] if self._breaks else out
        elif isinstance(node, ast.Continue):
            out = self._continues[-1] if self._continues else out
        self._note(node, out)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return (out - {node.name}) | names_in(node)
        if not self._writes_read and (written := _written(node)) and written not in out:
            return out | (names_in(node) - {written})
        if isinstance(node, ast.AugAssign):
            return out | names_in(node) | {path_of(node.target)} - {""}
        if isinstance(node, ast.Assign):
            return _without(out, stored_by(*node.targets)) | names_in(node)
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            return _without(out, stored_by(node.target)) | names_in(node)
        if isinstance(node, ast.Delete):
            return _without(out, stored_by(*node.targets)) | names_in(node)
        if isinstance(node, ast.Import | ast.ImportFrom):
            return out - {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        return out | names_in(node)

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, out: Names) -> Names:
        left = self._run(node.orelse, out)
        head = names_in(node.test) if isinstance(node, ast.While) else _NONE
        again: Names = left | head
        while True:
            self._breaks.append(out)
            self._continues.append(again)
            inner = self._run(node.body, again)
            self._breaks.pop()
            self._continues.pop()
            if not isinstance(node, ast.While):
                inner = _without(inner, stored_by(node.target))
            if inner <= again:
                break
            again |= inner
        self._note(node, again)
        return again | (_NONE if isinstance(node, ast.While) else names_in(node.iter))

    def _try(self, node: ast.Try, out: Names) -> Names:
        final = self._run(node.finalbody, out)
        handled = final.union(*[self._run(handler.body, final) for handler in node.handlers])
        before = self._raised
        self._raised |= handled
        inner = self._run(node.body, self._run(node.orelse, final))
        self._raised = before
        return inner | handled

    def _note(self, node: ast.stmt, alive: Names) -> None:
        self.after[node] = self.after.get(node, _NONE) | alive


def _written(node: ast.stmt) -> str:
    """What a statement only writes."""
    if isinstance(node, ast.AugAssign):
        return path_of(node.target) if path_of(node.target) not in names_in(node.value) else ""
    at = node.value if isinstance(node, ast.Expr) else None
    while isinstance(at, ast.Call) and isinstance(at.func, ast.Attribute) and writes_itself(at.func.attr):
        if any(path_of(at.func.value) in names_in(argument) for argument in at.args):
            return ""
        at = at.func.value
    return path_of(at) if at is not None else ""


def _without(names: Names, stored: Names) -> Names:
    """A new value for `h` ends `h.grad` too."""
    return frozenset(n for n in names if n not in stored and not any(n.startswith(f"{path}.") for path in stored))
