"""A write through `.data`, of which autograd is not told -> the same write out of place, which it sees."""

from __future__ import annotations

import ast
from collections.abc import Callable

from inplace_guard.fixes.context import Context, Proposal
from inplace_guard.fixes.history import is_leaf
from inplace_guard.fixes.judge import Judge
from inplace_guard.fixes.program import Program
from inplace_guard.fixes.text import Edit, SourceText, Unfixable, difference
from inplace_guard.fixes.tree import path_of
from inplace_guard.fixes.verdict import Verdict

__all__ = ["propose"]

_MEANT = Verdict.doubt("`.data` may have been meant to hide the write from autograd")


def propose(context: Context, node: ast.AST, ordinary: Callable[[Context], Proposal]) -> Proposal:
    """`ordinary` makes the fix of a file in which the statement says `h` where this one says `h.data`.

    Raises Unfixable.
    """
    statement = context.simple_statement(node)
    reads = [n for n in ast.walk(statement) if isinstance(n, ast.Attribute) and n.attr == "data" and path_of(n.value)]
    if not reads:
        bypassed = any(isinstance(n, ast.Attribute) and n.attr == "data" for n in ast.walk(statement))
        reason = (
            "what it writes through `.data` is no variable" if bypassed else "it does not write through `.data` here"
        )
        raise Unfixable(reason)
    root = path_of(min(reads, key=lambda n: (n.lineno, n.col_offset)).value)
    scope = context.tree.scope(statement)
    where = context.tree.owner(scope) if root.startswith("self.") else None
    if is_leaf(context.tree, root, where or scope):
        raise Unfixable(f"`{root}` is a leaf: write it under torch.no_grad(), after the backward that needs it")
    dropped = []
    for read in reads:
        if path_of(read.value) == root:
            dropped.append(Edit(context.text.span(read.value)[1], context.text.span(read)[1], ""))
    plain = SourceText(context.text.apply(dropped))
    program = Program(plain.tree)
    if isinstance(statement, ast.Assign) and path_of(statement.targets[0]) == f"{root}.data":
        if "." in root:
            raise Unfixable(f"`{root}` may be a parameter")
        if not context.judge.is_read_later(root, statement):
            raise Unfixable(f"nothing reads `{root}` afterwards: whoever else holds the tensor is to see the write")
        return Proposal(f"give `{root}` a new value that autograd sees", tuple(dropped), _MEANT)
    proposal = ordinary(Context(plain, program, Judge(program), context.finding))
    changed = SourceText(plain.apply(proposal.edits)).text
    return Proposal(proposal.description, (difference(context.text.text, changed),), proposal.verdict.worse(_MEANT))
