"""Which kind of fix a finding gets."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from inplace_guard import ops
from inplace_guard.findings import Finding
from inplace_guard.fixes import (
    again,
    arrays,
    augmented,
    copies,
    detours,
    functions,
    items,
    leaves,
    methods,
    modules,
    moves,
    saved_on_ctx,
    search,
)
from inplace_guard.fixes.checking import Checking
from inplace_guard.fixes.context import Context, Proposal
from inplace_guard.fixes.copying import written_root
from inplace_guard.fixes.expected import Expected
from inplace_guard.fixes.judge import KEEPS, Judge
from inplace_guard.fixes.locate import Index
from inplace_guard.fixes.program import Program
from inplace_guard.fixes.text import SourceText, Unfixable
from inplace_guard.fixes.tree import path_of, root_of, stored_by
from inplace_guard.fixes.trials import TOO_DEEP, Steps, try_all
from inplace_guard.fixes.twins import writes_itself
from inplace_guard.fixes.verdict import Verdict

__all__ = ["Plan", "plan"]

# Rules whose write is made out of place, and those where that is never more than what may be meant.
_OUT_OF_PLACE = {"IPG101", "IPG102", "IPG105", "IPG106", "IPG110", "IPG204", "IPG206", "IPG209", "IPG213"}
_NO_WRITES = {"IPG108", "IPG301", "IPG302", "IPG303"}
_PERHAPS = {"IPG104", "IPG201", "IPG202", "IPG205", "IPG207", "IPG211", "IPG212"}

_NOWHERE = Verdict.refuse("the write is not where the finding says")


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done about one finding; no proposal: nothing, for the reason of the verdict."""

    finding: Finding
    proposal: Proposal | None
    verdict: Verdict


def plan(text: SourceText, findings: Sequence[Finding], checking: Checking | None = None) -> list[Plan]:
    """Without `checking`, only what can be decided without it is proposed."""
    program = Program(text.tree)
    judge = Judge(program)
    index = Index(text)
    contexts = [Context(text, program, judge, finding, checking) for finding in findings]

    def untried(number: int) -> Proposal:
        node = _node(contexts[number], index)
        proposal = Proposal("", (), _NOWHERE) if node is None else _write_itself(contexts[number], node)
        if proposal.verdict.applicability == "safe":
            return proposal
        reason = f"{proposal.verdict.reason}; other fixes were not tried: the file is too long for all of its findings"
        return replace(proposal, verdict=replace(proposal.verdict, reason=reason))

    steps = [(context.finding, _plan(context, index)) for context in contexts]
    proposals = try_all(text, steps, checking, untried)
    expected = Expected(program.tree)
    return [
        Plan(finding, proposal if proposal.edits else None, proposal.verdict.worse(expected.verdict(finding)))
        for finding, proposal in zip(findings, proposals, strict=True)
    ]


def _plan(context: Context, index: Index) -> Steps:
    """The fix of the write itself; where that is refused, or leaves a finding, one that stands elsewhere."""
    node = _node(context, index)
    if node is None:
        return Proposal("", (), _NOWHERE)
    if context.checking is None:
        return _write_itself(context, node)
    if (meant := search.MEANT.get(context.code)) is not None:
        found = yield from search.first(context, node, meant)
        if found is not None:
            return found
    proposal = _write_itself(context, node)
    verdict = proposal.verdict
    meant_for_others = verdict.applicability == "none" and verdict.held and not verdict.seen
    if meant_for_others and context.code in ("IPG207", "IPG212") and not _is_item(context, node):
        return proposal
    works = bool(proposal.edits) and verdict.applicability != "none" and (yield proposal) is not None
    kinds = search.SEEN.get(context.code) if not copies.writes_lookalike(context, node) else None
    unsure = works and (verdict.seen or verdict.held) and context.code != "IPG201"
    if kinds is not None and (unsure or meant_for_others):
        found, other = yield from search.kept(context, node, kinds)  # all who hold the tensor go on seeing the write
        if found is not None or (meant_for_others and other is not None):
            return found or other or proposal
        known = verdict.seen and not verdict.held  # who reads it is seen in the function itself
        if works and known and other is None and context.code in ("IPG101", "IPG102"):
            reason = f"{verdict.reason.removesuffix(KEEPS)}: clone() it there, or what was saved"
            return replace(proposal, edits=(), verdict=Verdict.refuse(reason))
    if works:
        return proposal
    return (yield from search.first(context, node)) or proposal


def _is_item(context: Context, node: ast.AST) -> bool:
    """Whether what is written is the item of a loop around it."""
    root = written_root(node)
    loops = (loop for loop in context.tree.above(node) if isinstance(loop, ast.For | ast.AsyncFor))
    return path_of(root) in stored_by(*(loop.target for loop in loops)) if root is not None else False


def _node(context: Context, index: Index) -> ast.AST | None:
    node: ast.AST | None = index.find(context.finding)
    if node is None and context.code in _NO_WRITES:
        node = index.anything(context.finding)
    return node


def _write_itself(context: Context, node: ast.AST) -> Proposal:
    try:
        return _propose(context, node, checked=context.checking is not None)
    except Unfixable as refused:
        return Proposal("", (), Verdict.refuse(str(refused)))
    except RecursionError:
        return Proposal("", (), TOO_DEEP)


def _propose(context: Context, node: ast.AST, *, checked: bool) -> Proposal:
    code = context.code
    if any(isinstance(inner, ast.NamedExpr) for inner in ast.walk(context.tree.statement(node)) if inner is not node):
        raise Unfixable("the statement has an assignment expression in it")
    if code == "IPG107":
        if again.shares_forward(context, node) and checked:
            raise Unfixable("both backwards need one forward, whose parameters are written between them")
        return moves.propose(context, node)
    if code == "IPG103":
        return leaves.propose(context, node)
    if code == "IPG203":
        return _unversioned(context, node)
    if code not in _OUT_OF_PLACE | _PERHAPS:
        raise Unfixable("there is no automatic fix for this rule")
    if code in ("IPG207", "IPG212") and (name := _written_again(context, node)):
        raise Unfixable(f"`{name}` is written in place too, and would have to be changed with it")
    try:
        if code == "IPG201":
            proposal = detours.propose(context, node, lambda plain: _ordinary(plain, _found(Index(plain.text), plain)))
        elif code == "IPG202":
            proposal = arrays.propose(context, node)
        else:
            proposal = _ordinary(context, node)
    except Unfixable as refused:
        proposal = Proposal("", (), Verdict.refuse(str(refused)))
    if proposal.verdict.applicability == "none" or (code == "IPG104" and proposal.verdict.seen):
        proposal = _otherwise(context, node, proposal)
    if code in _PERHAPS:
        doubt = Verdict.doubt("the write may be meant for everybody who holds the tensor")
        proposal = Proposal(proposal.description, proposal.edits, proposal.verdict.worse(doubt))
    return proposal


def _unversioned(context: Context, node: ast.AST) -> Proposal:
    """`apply_` and the like get a copy; the step of an optimizer moves."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and writes_itself(node.func.attr):
        return methods.propose(context, node)
    if not (context.finding.write.op or "").endswith(".step()"):
        raise Unfixable("the write has no out-of-place form")
    return moves.propose(context, node)


def _written_again(context: Context, node: ast.AST) -> str:
    """A tensor that the same function writes in place somewhere else."""
    statement = context.tree.statement(node)
    own = written_root(node)
    for other in ast.walk(context.tree.scope(statement)):
        if isinstance(other, ast.AugAssign) and other is not node and isinstance(other.target, ast.Name):
            found = other.target.id
        elif not isinstance(other, ast.Call) or context.tree.statement(other) is statement:
            continue
        elif isinstance(other.func, ast.Attribute) and writes_itself(other.func.attr):
            found = path_of(root_of(other)) or "another tensor"
        else:
            continue
        if context.code != "IPG212" or own is None or found == path_of(own):
            return found
    return ""


def _otherwise(context: Context, node: ast.AST, refused: Proposal) -> Proposal:
    """Another fix, where the write cannot be made out of place."""
    try:
        if context.code == "IPG104" and not copies.views_a_variable(context, node):
            return leaves.propose(context, node)
        if context.code == "IPG204":
            return saved_on_ctx.propose(context)
        if context.code == "IPG202" and _writes_variable(node):
            with suppress(Unfixable):
                if (found := _ordinary(context, node)).verdict.applicability != "none":
                    return found
        if context.code in ("IPG101", "IPG102", "IPG201", "IPG202", "IPG203", "IPG209"):
            return moves.propose(context, node)
    except Unfixable:
        pass
    if not refused.edits:
        raise Unfixable(refused.verdict.reason)
    return refused


def _writes_variable(node: ast.AST) -> bool:
    """`arr -= x`, or an in-place method called on a variable."""
    if isinstance(node, ast.AugAssign):
        return isinstance(node.target, ast.Name)
    method = node.func if isinstance(node, ast.Call) else None
    return isinstance(method, ast.Attribute) and writes_itself(method.attr) and isinstance(method.value, ast.Name)


def _found(index: Index, context: Context) -> ast.AST:
    node = index.find(context.finding)
    if node is None:
        raise Unfixable("the write is not where the finding says")
    return node


def _ordinary(context: Context, node: ast.AST) -> Proposal:
    if isinstance(node, ast.AugAssign):
        return augmented.propose(context, node)
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return items.propose(context, node)
    assert isinstance(node, ast.Call)
    op = context.finding.write.op or ""
    if op.endswith(("(running statistics)", "(max_norm=…)")) or op == "batch_norm":
        raise Unfixable(f"`{op}` has no out-of-place form")
    if "(inplace=True)" in op or modules.is_constructor(context, node):
        return modules.propose(context, node)
    if context.tree.dotted(node.func):
        return functions.propose(context, node)
    if isinstance(node.func, ast.Attribute) and node.func.attr == op:
        return methods.propose(context, node)
    if not _is_inplace_function(op) or not node.args:
        raise Unfixable(f"`{op}` has no out-of-place form here")
    return modules.propose(context, node)


def _is_inplace_function(op: str) -> bool:
    """`relu`, called under a name that does not say so, with `inplace=True` given somewhere else."""
    found = ops.lookup(f"torch.nn.functional.{op}")
    return found is not None and any("?inplace" in write for o in found.overloads for write in o.writes)
