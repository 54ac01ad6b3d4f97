"""The way out, in the user's own terms."""

from __future__ import annotations

import ast
import re

from inplace_guard.findings import Site
from inplace_guard.runtime.capture import expression
from inplace_guard.runtime.journal import Write

__all__ = ["for_optimizer", "for_write", "out_of_place"]


def for_optimizer() -> list[str]:
    return [
        "fix: call backward before step(), or run the forward again after step() and use its result",
        "fix, where a state is carried from one step to the next: cut it there, `h = h.detach()`",
        "not a fix: retain_graph=True keeps the stale graph, and detaching the loss stops training",
    ]


def for_write(write: Write, where: Site, name: str | None, apart: bool) -> list[str]:
    lines = []
    if where.op is not None and where.op.endswith("(inplace=True)"):
        lines.append(f"fix: build it as {where.op.replace('inplace=True', '')} (without inplace=True)")
    elif (better := out_of_place(write, where)) is not None:
        lines.append(f"fix: write out of place: `{better}`")
    elif apart:
        lines.append(
            "fix: keep the two parts in tensors of their own, or build the whole with torch.cat or torch.stack"
        )
    else:
        lines.append(_by_hand(where, name))
    if name:
        lines.append(
            f"a clone made before the saving op reads `{name}` does not help: what is saved must stay as it is"
        )
    return lines


def _by_hand(where: Site, name: str | None) -> str:
    """For a write that no other form of its line replaces."""
    target, _, value = (where.source or "").partition("=")
    if not name or not name.isidentifier() or not target.strip().startswith(f"{name}["):
        return "fix: compute it out of place, as a new tensor, and use that from here on"
    if re.search(rf"\b{name}\b", value):
        return (
            f"fix: build the new `{name}` out of place (torch.cat, torch.where, index_put): the right side reads what "
            "this line overwrites, so a copy made before it does not help"
        )
    return f"fix: write to a copy made after it was saved: `{name} = {name}.clone()` before this line"


def out_of_place(write: Write, where: Site) -> str | None:
    """The same statement without the write, where one line says it."""
    text = expression(write.place)
    # Only a whole statement: of `h.add_(1).sum()` the rest would be lost.
    if not text or text.strip() != (where.source or "").partition("  #")[0].strip():
        return None
    try:
        body = ast.parse(text.strip()).body
    except SyntaxError:
        return None
    if len(body) != 1:
        return None
    node = body[0]
    if isinstance(node, ast.AugAssign) and isinstance(node.target, (ast.Name, ast.Attribute)):
        target = ast.unparse(node.target)
        operation = ast.BinOp(left=ast.parse(target, mode="eval").body, op=node.op, right=node.value)
        return f"{target} = {ast.unparse(ast.fix_missing_locations(operation))}"
    value = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return None
    method = value.func.attr
    if not method.endswith("_") or method.endswith("__"):
        return None
    owner = value.func.value
    of_self = isinstance(owner, ast.Attribute) and isinstance(owner.value, ast.Name) and owner.value.id == "self"
    if not (isinstance(owner, ast.Name) or of_self) or ast.unparse(owner) in ("nn", "init", "torch.Tensor"):
        return None
    functional = isinstance(owner, ast.Name) and owner.id in ("F", "torch") and bool(value.args)
    if functional and not isinstance(value.args[0], ast.Name):
        return None
    named = ast.unparse(value.args[0] if functional else owner)
    if method in _OPERATORS and len(value.args) == 1 and not value.keywords and not functional:
        return f"{named} = {named} {_OPERATORS[method]} {_bracketed(value.args[0])}"
    value.func.attr = method[:-1]
    if method in ("fill_", "zero_", "copy_", "normal_", "uniform_", "set_", "resize_"):
        return None
    return f"{named} = {ast.unparse(value)}"


_OPERATORS = {"add_": "+", "sub_": "-", "mul_": "*", "div_": "/"}


def _bracketed(node: ast.expr) -> str:
    text = ast.unparse(node)
    return text if isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Constant, ast.Subscript)) else f"({text})"
