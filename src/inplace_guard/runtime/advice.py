"""The way out, in the user's own terms."""

from __future__ import annotations

import ast
import re

from inplace_guard.findings import Site
from inplace_guard.runtime.capture import expression
from inplace_guard.runtime.items import Item, is_item, item_named
from inplace_guard.runtime.journal import Write
from inplace_guard.runtime.syntax import syntax

__all__ = ["for_data", "for_leaf", "for_optimizer", "for_write"]


def for_optimizer() -> list[str]:
    return [
        "fix: call backward before step(), or run the forward again after step() and use its result",
        "fix, where a state is carried from one step to the next: cut it there, `h = h.detach()`",
        "not a fix: retain_graph=True keeps the stale graph, and detaching the loss stops training",
    ]


def for_leaf() -> str:
    return (
        "fix: it is a leaf that trains: move this write behind the backward (and the step of the optimizer), under "
        "torch.no_grad() and without .data, so that PyTorch raises if it ever comes too early again"
    )


def for_data(write: Write, where: Site) -> str:
    better = _out_of_place(write, where) or "h = h + ..."
    name = better.partition(" = ")[0]
    if (item := item_named(write.place, name)) is not None:
        return _of_item(name, item, better).replace("fix: ", "fix: drop .data: ", 1)
    return f"fix: drop .data: write `{better}` and let autograd record it; use torch.no_grad() only between steps"


def for_write(write: Write, where: Site, name: str | None, apart: bool, leaf: bool) -> list[str]:
    lines = []
    if where.op is not None and where.op.endswith("(inplace=True)"):
        lines.append(f"fix: build it as {where.op.replace('inplace=True', '')} (without inplace=True)")
    elif leaf:
        lines.append(for_leaf())
    elif name and (item := item_named(write.place, name)) is not None:
        lines.append(_of_item(name, item, _out_of_place(write, where)))
    elif (better := _out_of_place(write, where)) is not None:
        lines.append(f"fix: write out of place: `{better}`")
    elif apart:
        lines.append(
            "fix: keep the two parts in tensors of their own, or build the whole with torch.cat or torch.stack"
        )
    else:
        lines.append(_by_hand(where, name))
    if name and not leaf:
        lines.append(
            f"a clone made before the saving op reads `{name}` does not help: what is saved must stay as it is"
        )
    return lines


def _of_item(name: str, item: Item, better: str | None) -> str:
    """For a name that was taken from a container. `better`: `name = value`."""
    value = better.partition(" = ")[2] if better else None
    if item.home is not None:
        both = f"{name} = {item.home}" if item.read_later else item.home
        return (
            f"fix: `{name}` is an item of `{item.container}`: write out of place and put the new tensor back there: "
            f"`{both} = {value or '...'}`"
        )
    if value and item.again:
        return (
            f"fix: `{name}` is an item of `{item.container}`, which does not see it bound anew: build the container "
            f"anew, e.g. `{item.again.format(value)}`"
        )
    first = f"`{better}`" if better and item.read_later else "compute it out of place"
    return (
        f"fix: {first}, and put the new tensors into a new container: `{name}` is an item of `{item.container}`, "
        "which does not see it bound anew"
    )


def _by_hand(where: Site, name: str | None) -> str:
    """For a write that no other form of its line replaces."""
    target, _, value = (where.source or "").partition("=")
    plain = name is not None and (name.isidentifier() or name.endswith("]"))
    if not name or not plain or not target.strip().startswith(f"{name}["):
        return "fix: compute it out of place, as a new tensor, and use that from here on"
    if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", value):
        return (
            f"fix: build the new `{name}` out of place (torch.cat, torch.where, index_put): the right side reads what "
            "this line overwrites, so a copy made before it does not help"
        )
    return f"fix: write to a copy made after it was saved: `{name} = {name}.clone()` before this line"


def _out_of_place(write: Write, where: Site) -> str | None:
    """The same statement without the write, where one line says it."""
    text = expression(write.place)
    # Only a whole statement: of `h.add_(1).sum()` the rest would be lost.
    if not text or text.strip() != (where.source or "").partition("  #")[0].strip():
        return None
    tree = syntax(text.strip())
    if tree is None or len(tree.body) != 1:
        return None
    node = tree.body[0]
    if isinstance(node, ast.AugAssign):
        target = _without_data(node.target)
        if not _may_be_bound(write, target):
            return None
        return _assignment(target, text, ast.BinOp(target, node.op, node.value))
    value = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return None
    method = value.func.attr
    if not method.endswith("_") or method.endswith("__"):
        return None
    owner = value.func.value = _without_data(value.func.value)
    of_self = isinstance(owner, ast.Attribute) and isinstance(owner.value, ast.Name) and owner.value.id == "self"
    of_item = isinstance(owner, ast.Subscript) and _may_be_bound(write, owner)
    if not (isinstance(owner, ast.Name) or of_self or of_item) or ast.unparse(owner) in ("nn", "init", "torch.Tensor"):
        return None
    functional = isinstance(owner, ast.Name) and owner.id in ("F", "torch") and bool(value.args)
    if functional and not isinstance(value.args[0], ast.Name):
        return None
    written = value.args[0] if functional else owner
    if method in _OPERATORS and len(value.args) == 1 and not value.keywords and not functional:
        return _assignment(written, text, ast.BinOp(written, _OPERATORS[method], value.args[0]))
    if method in ("fill_", "zero_", "copy_", "normal_", "uniform_", "set_", "resize_"):
        return None
    value.func.attr = method[:-1]
    return _assignment(written, text, value)


_OPERATORS: dict[str, ast.operator] = {"add_": ast.Add(), "sub_": ast.Sub(), "mul_": ast.Mult(), "div_": ast.Div()}


def _may_be_bound(write: Write, target: ast.expr) -> bool:
    """Whether `target = …` binds another tensor, and does not write to this one."""
    if isinstance(target, ast.Subscript):
        return is_item(write.place, target, settable=True)
    return isinstance(target, (ast.Name, ast.Attribute))


def _without_data(target: ast.expr) -> ast.expr:
    return target.value if isinstance(target, ast.Attribute) and target.attr == "data" else target


def _assignment(target: ast.expr, text: str, value: ast.expr) -> str:
    """`target = value`, with strings in the quotes that the line has."""
    made = f"{ast.unparse(target)} = {ast.unparse(ast.fix_missing_locations(value))}"
    return made.replace("'", '"') if '"' in text and "'" not in text else made
