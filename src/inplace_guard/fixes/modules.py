"""`nn.ReLU(inplace=True)` -> `nn.ReLU()`, or a copy for the one call: `self.act(x)` -> `self.act(x.clone())`."""

from __future__ import annotations

import ast

from inplace_guard import ops
from inplace_guard.fixes.context import Context, Proposal
from inplace_guard.fixes.judge import Write
from inplace_guard.fixes.rewrite import call_on_copy, drop_argument, set_argument
from inplace_guard.fixes.text import Unfixable
from inplace_guard.fixes.tree import last_name
from inplace_guard.fixes.verdict import SAFE, Verdict

__all__ = ["is_constructor", "propose"]


def is_constructor(context: Context, node: ast.Call) -> bool:
    facts = ops.module(context.tree.dotted(node.func))
    return facts is not None and facts.inplace


def propose(context: Context, node: ast.Call) -> Proposal:
    """`node` is the constructor of an in-place module, or a call of it. Raises Unfixable."""
    if is_constructor(context, node):
        return _constructor(context, node)
    made = _made_at(context, node)
    if made is not None:
        proposal = _constructor(context, made)
        if proposal.verdict == SAFE:
            return proposal
    if not node.args or isinstance(node.args[0], ast.Starred):
        raise Unfixable("what it writes cannot be told")
    statement = context.tree.statement(node)
    if isinstance(statement, ast.Expr) and statement.value is node:
        raise Unfixable("it is called for the write alone")
    written = node.args[0]
    edit = context.replace(node, call_on_copy(context.text.segment(node), 0))
    return context.propose("let it write into a copy", [edit], Write(context.code, node, written))


def _constructor(context: Context, node: ast.Call) -> Proposal:
    text = context.text.segment(node)
    if any(keyword.arg == "inplace" for keyword in node.keywords):
        new = drop_argument(text, "inplace")
    else:
        facts = ops.module(context.tree.dotted(node.func))
        position = facts.inplace_index if facts is not None else -1
        if not 0 <= position < len(node.args) or any(isinstance(given, ast.Starred) for given in node.args):
            raise Unfixable("it is not made with `inplace=True` here")
        new = set_argument(text, position, "False")
    return Proposal(
        f"make `{context.text.segment(node.func)}` return a new tensor",
        (context.replace(node, new),),
        _judge(context, node),
    )


def _judge(context: Context, node: ast.Call) -> Verdict:
    """In the middle of a chain nobody else holds what it writes; elsewhere, each call of it is looked at."""
    found = SAFE
    if context.program.hooks_outputs:
        found = Verdict.doubt("a forward hook of the file may keep what it writes, and keeps the old values then")
    if _follows_a_new_tensor(context, node):
        return found
    calls = context.judge.callers.of_instances(node)
    for call in calls:
        statement = context.tree.statement(call)
        if isinstance(statement, ast.Expr) and statement.value is call:
            return Verdict.refuse(f"line {call.lineno} calls it for the write alone")
        if not call.args or isinstance(call.args[0], ast.Starred):
            found = found.worse(Verdict.doubt(f"what line {call.lineno} gives it cannot be told"))
            continue
        found = found.worse(context.judge.verdict(Write(context.code, call, call.args[0])))
    return found if calls else Verdict.doubt("where the module is called cannot be seen")


def _follows_a_new_tensor(context: Context, node: ast.Call) -> bool:
    """`Conv2d(...), ReLU(inplace=True)` in one `nn.Sequential`."""
    chain = context.tree.parents.get(node)
    if (
        not isinstance(chain, ast.Call)
        or context.tree.dotted(chain.func) != "torch.nn.Sequential"
        or node not in chain.args
    ):
        return False
    at = chain.args.index(node)
    before = chain.args[at - 1] if at else None
    if not isinstance(before, ast.Call):
        return False
    facts = ops.module(context.tree.dotted(before.func))
    return facts is not None and facts.returns == "new" and not facts.inplace


def _made_at(context: Context, call: ast.Call) -> ast.Call | None:
    """The constructor of the module that is called, if there is just one."""
    name = last_name(call.func)
    found: list[ast.expr] = []
    for node in context.tree.parents:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(last_name(target) == name for target in targets):
                found.append(node.value)
    if len(found) == 1 and isinstance(found[0], ast.Call) and is_constructor(context, found[0]):
        return found[0]
    return None
