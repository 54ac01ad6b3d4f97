"""`h += x` -> `h = h + x`; `h = (h + x).to(h.dtype)` where the other side may have another dtype."""

from __future__ import annotations

import ast

from inplace_guard.fixes import items
from inplace_guard.fixes.context import Context, Proposal
from inplace_guard.fixes.dtypes import judge_dtype
from inplace_guard.fixes.judge import Write
from inplace_guard.fixes.rewrite import no_augmentation
from inplace_guard.fixes.text import Unfixable
from inplace_guard.fixes.tree import has_effects, path_of
from inplace_guard.fixes.verdict import SAFE

__all__ = ["propose"]


def propose(context: Context, node: ast.AugAssign) -> Proposal:
    """Raises Unfixable."""
    target = node.target
    scope = context.tree.scope(node)
    if isinstance(target, ast.Subscript):
        # A slice of a list would not be a tensor, and no finding.
        if isinstance(target.slice, ast.Slice) or context.program.kinds.is_tensor(target.value, scope, target.slice):
            return items.propose(context, node)
        if not context.program.kinds.is_container(target.value, scope):
            raise Unfixable(f"whether `{context.text.segment(target.value)}` is a list or a tensor cannot be told")
    if has_effects(target) or (path := path_of(target.value if isinstance(target, ast.Subscript) else target)) == "":
        raise Unfixable("its target would be evaluated twice")
    other_dtype = judge_dtype(context, target, [node.value], node) != SAFE
    edit = context.replace(node, no_augmentation(context.text.segment(node), keep_dtype=other_dtype))
    write = Write(context.code, node, target, path, isinstance(target, ast.Subscript))
    return context.propose(
        f"give `{context.text.segment(target)}` a new tensor instead of writing into the old one",
        [edit],
        write,
    )
