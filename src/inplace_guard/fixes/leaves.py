"""A leaf written with grad mode on -> the same statement under `torch.no_grad()`."""

from __future__ import annotations

import ast

from inplace_guard.fixes.context import Context, Proposal
from inplace_guard.fixes.history import is_unrecorded
from inplace_guard.fixes.text import Unfixable
from inplace_guard.fixes.tree import names_in, path_of, root_of, stored_by
from inplace_guard.fixes.verdict import Verdict

__all__ = ["propose"]

_FILLING = {
    "fill_",
    "zero_",
    "normal_",
    "uniform_",
    "bernoulli_",
    "exponential_",
    "random_",
    "clamp_",
    "fill_diagonal_",
}
_NUMBERS = {"normal_", "uniform_", "exponential_", "random_", "zero_"}  # take no tensors
_MAKERS = ("torch.FloatTensor", "torch.tensor", "torch.zeros", "torch.ones", "torch.from_numpy", "torch.as_tensor",
           "torch.rand", "torch.randn", "torch.eye", "torch.arange", "torch.full")  # fmt: skip


def propose(context: Context, node: ast.AST) -> Proposal:
    """Raises Unfixable."""
    statement = context.simple_statement(node)
    start, end = context.text.span(statement)
    indentation = context.text.indentation(start)
    if indentation is None or context.text.text[end : end + 1] == ";":
        raise Unfixable("another statement stands on its line")
    if is_unrecorded(context.tree, statement):
        raise Unfixable("it is written under torch.no_grad() already")
    owner = context.tree.owner(context.tree.scope(statement))
    if owner is not None and any(path_of(base).rpartition(".")[2] == "Function" for base in owner.bases):
        raise Unfixable("a custom Function writes its input")
    if not isinstance(statement, ast.Expr | ast.Assign | ast.AugAssign) or not (
        _without_history(context, statement)
        or _is_untracked(context, statement)
        or _writes_parameter(context, statement)
    ):
        raise Unfixable("what it writes may have a history, whose gradient torch.no_grad() would lose")
    torch = next((name for name, origin in context.tree.imports.items() if origin == "torch"), None)
    if torch is None:
        raise Unfixable("torch is not imported here")
    unit = _unit(context, statement)
    head = f"with {torch}.no_grad():{context.text.line_end(start)}{indentation}{unit}"
    edit = context.insert(start, head)
    return Proposal("write under torch.no_grad()", (edit,), Verdict.doubt("only if no gradient is to flow through it"))


def _writes_parameter(context: Context, statement: ast.stmt) -> bool:
    """`layer.weight` or an item of a loop, as in an optimizer: other variables may be inputs with a gradient."""
    written = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
    root = root_of(written or statement.value)  # type: ignore[attr-defined]
    if not isinstance(root, ast.Name):
        return False
    if any(path.startswith(f"{root.id}.") and path.endswith((".weight", ".bias")) for path in _paths(statement)):
        return True
    loops = [p for p in context.tree.above(statement) if isinstance(p, ast.For)]
    return any(root.id in stored_by(loop.target) for loop in loops)


def _paths(node: ast.AST) -> set[str]:
    return {path_of(part) for part in ast.walk(node)}


def _is_untracked(context: Context, statement: ast.Expr | ast.Assign | ast.AugAssign) -> bool:
    """Whether nothing that goes into the write requires grad, as far as checking saw."""
    call = statement.value
    values = [call]
    if isinstance(statement, ast.Expr):
        values = []
        while isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            values += [*call.args, *(keyword.value for keyword in call.keywords)]
            call = call.func.value
    return all(context.is_tracked(value) is False for value in values if not isinstance(value, ast.Constant))


def _without_history(context: Context, statement: ast.Expr | ast.Assign | ast.AugAssign) -> bool:
    value = statement.value
    if isinstance(statement, ast.Expr):
        if (
            not isinstance(value, ast.Call)
            or not isinstance(value.func, ast.Attribute)
            or value.func.attr not in _FILLING
        ):
            return False
        return value.func.attr in _NUMBERS or all(
            isinstance(argument, ast.Constant | ast.Name | ast.UnaryOp) for argument in value.args
        )
    if any(path.endswith(".grad") for path in names_in(value)):
        return True
    return isinstance(value, ast.Constant) or (
        isinstance(value, ast.Call) and context.tree.dotted(value.func).startswith(_MAKERS)
    )


def _unit(context: Context, statement: ast.stmt) -> str:
    """How much deeper the block in the block is indented."""
    own = context.text.indentation(context.text.span(statement)[0]) or ""
    for parent in context.tree.above(statement):
        if isinstance(parent, ast.stmt) and path_of(parent) == "":
            outer = context.text.indentation(context.text.span(parent)[0])
            if outer is not None and own.startswith(outer) and own != outer:
                return own[len(outer) :]
    return "    "
