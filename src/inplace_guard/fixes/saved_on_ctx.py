"""`ctx.x = x` in a custom Function -> `ctx.save_for_backward(x)`, so that PyTorch checks what it keeps."""

from __future__ import annotations

import ast

from inplace_guard.fixes.context import Context, Proposal
from inplace_guard.fixes.text import Edit, Unfixable
from inplace_guard.fixes.tree import path_of
from inplace_guard.fixes.verdict import Verdict

__all__ = ["propose"]


def propose(context: Context) -> Proposal:
    """For the Function that saved what was overwritten. Raises Unfixable."""
    saved = context.finding.saved
    cls = context.tree.classes.get(saved.op or "") if saved is not None else None
    if cls is None:
        raise Unfixable("the custom Function is not in this file")
    methods = {node.name: node for node in cls.body if isinstance(node, ast.FunctionDef)}
    forward, backward = methods.get("forward"), methods.get("backward")
    if forward is None or backward is None or not forward.args.args or not backward.args.args:
        raise Unfixable("the custom Function has no forward and backward of its own")
    ctx, own = forward.args.args[0].arg, backward.args.args[0].arg
    inside = [node for method in methods.values() for node in ast.walk(method) if isinstance(node, ast.Attribute)]
    if any(node.attr in ("save_for_backward", "saved_tensors") for node in inside):
        raise Unfixable("the custom Function uses save_for_backward already")
    tensors = _with_gradient(forward, backward) | _returned(forward)
    keeping = [
        node
        for node in ast.walk(forward)
        if isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and path_of(node.targets[0]).startswith(f"{ctx}.")
        and isinstance(node.value, ast.Name)
        and node.value.id in tensors
    ]
    if len(keeping) != 1 or keeping[0] not in forward.body:
        raise Unfixable("which attribute of ctx holds the tensor cannot be told")
    assert isinstance(keeping[0].value, ast.Name)
    attribute = path_of(keeping[0].targets[0]).partition(".")[2]
    name = attribute if attribute not in _names(backward) else f"saved_{attribute}"
    edits = [context.replace(keeping[0], f"{ctx}.save_for_backward({keeping[0].value.id})")]
    first = next(
        (n for n in backward.body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))), None
    )
    if first is None or "." in attribute:
        raise Unfixable("its backward is empty")
    edits.append(context.before(first, f"({name},) = {own}.saved_tensors"))
    for node in ast.walk(backward):
        if isinstance(node, ast.Attribute) and path_of(node) == f"{own}.{attribute}":
            if not isinstance(node.ctx, ast.Load):
                raise Unfixable(f"its backward writes `{own}.{attribute}`")
            edits.append(Edit(*context.text.span(node), name))
    verdict = Verdict.doubt("backward then raises instead of using the overwritten values")
    return Proposal(f"save `{keeping[0].value.id}` with save_for_backward", tuple(edits), verdict)


def _returned(function: ast.FunctionDef) -> set[str]:
    return {path_of(n.value) for n in ast.walk(function) if isinstance(n, ast.Return) and n.value is not None} - {""}


def _with_gradient(forward: ast.FunctionDef, backward: ast.FunctionDef) -> set[str]:
    """The arguments for which backward returns more than None."""
    names = [argument.arg for argument in forward.args.args[1:]]
    found: set[str] = set()
    for node in ast.walk(backward):
        if isinstance(node, ast.Return) and node.value is not None:
            values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            for name, value in zip(names, values, strict=False):
                if not (isinstance(value, ast.Constant) and value.value is None):
                    found.add(name)
    return found


def _names(function: ast.FunctionDef) -> set[str]:
    found = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}
    return found | {n.arg for n in ast.walk(function) if isinstance(n, ast.arg)}
