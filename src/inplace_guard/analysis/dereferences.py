"""What the code behind a test tells of a name: `mask.squeeze(-1)` after `if mask is not None: …` rules out None."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

LEAVING = ast.Return | ast.Raise | ast.Break | ast.Continue


def rejects_none(test: ast.expr, negated: bool, block: Sequence[ast.stmt], node: ast.If) -> bool | None:
    """The truth that `test`, of which `node` may have the opposite, has on a path that cannot go on: where a name is
    None, into which the statements behind look. None if there is no such path."""
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.left, ast.Name)):
        return None
    right, name = test.comparators[0], test.left.id
    if not (isinstance(right, ast.Constant) and right.value is None and isinstance(test.ops[0], ast.Is | ast.IsNot)):
        return None
    when_none = isinstance(test.ops[0], ast.Is)
    body = node.orelse if when_none is negated else node.body
    if any(leaves(s) or binds(s, name) for s in body) or node not in block:
        return None
    return when_none if fails(block[block.index(node) + 1 :], name) else None


def fails(body: Sequence[ast.stmt], name: str) -> bool:
    """Whether these statements look into what the name stands for, whatever else they do."""
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if any(looked_into(part, name) for part in sure_parts(statement)):
            return True
        if isinstance(statement, ast.With | ast.AsyncWith) and fails(statement.body, name):
            return True
        if leaves(statement) or binds(statement, name):
            return False
    return False


def looked_into(node: ast.AST, name: str) -> bool:
    if not isinstance(node, ast.Attribute | ast.Subscript):
        return False
    return isinstance(node.value, ast.Name) and node.value.id == name


def sure_parts(node: ast.AST) -> Iterator[ast.AST]:
    """The expressions in it that are evaluated whenever it is."""
    yield node
    inner: Sequence[ast.AST]
    if isinstance(node, ast.Lambda | ast.Try | ast.Match):
        inner = []
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        inner = [node.test]
    elif isinstance(node, ast.For | ast.AsyncFor):
        inner = [node.iter]
    elif isinstance(node, ast.With | ast.AsyncWith):
        inner = [item.context_expr for item in node.items]
    elif isinstance(node, ast.BoolOp):
        inner = node.values[:1]
    elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        inner = [node.generators[0].iter]
    else:
        inner = list(ast.iter_child_nodes(node))
    for part in inner:
        yield from sure_parts(part)


def leaves(statement: ast.stmt) -> bool:
    return any(isinstance(node, LEAVING) for node in ast.walk(statement))


def binds(statement: ast.stmt, name: str) -> bool:
    return any(
        isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load) for n in ast.walk(statement)
    )
