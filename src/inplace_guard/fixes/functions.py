"""`F.relu_(x)` -> `x = F.relu(x)`, `y = F.relu(x, inplace=True)` -> `y = F.relu(x)`, `f(a, out=b)` -> `b = f(a)`."""

from __future__ import annotations

import ast

from inplace_guard import ops
from inplace_guard.fixes.context import Context, Proposal
from inplace_guard.fixes.dtypes import judge_dtype
from inplace_guard.fixes.judge import Write
from inplace_guard.fixes.memory import base_of
from inplace_guard.fixes.rewrite import call_on_copy, drop_argument, rename_function, set_argument
from inplace_guard.fixes.text import Edit, Unfixable
from inplace_guard.fixes.tree import has_effects, path_of
from inplace_guard.fixes.twins import function_twin
from inplace_guard.fixes.verdict import SAFE, Verdict

__all__ = ["propose"]


def propose(context: Context, node: ast.Call) -> Proposal:
    """Raises Unfixable."""
    if any(isinstance(argument, ast.Starred) for argument in node.args) or any(k.arg is None for k in node.keywords):
        raise Unfixable("its arguments are given as *args or **kwargs")
    text = context.text.segment(node)
    dotted = context.tree.dotted(node.func)
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    position = _position(dotted, "inplace")
    if "out" in given:
        written, new = given["out"], drop_argument(text, "out")
    elif _is_true(given.get("inplace")):
        written, new = _first(node), drop_argument(text, "inplace")
    elif 0 <= position < len(node.args) and _is_true(node.args[position]):
        written, new = _first(node), set_argument(text, position, "False")
    elif twin := function_twin(dotted, len(node.args), frozenset(given)):
        written = _first(node)
        short = twin.rpartition(".")[2]
        if isinstance(node.func, ast.Name) and context.tree.imports.get(short) != twin:
            new = call_on_copy(text, 0)  # the other function is not imported
        else:
            new = rename_function(text, short)
    elif _writes_first(dotted) and node.args:
        written, new = node.args[0], call_on_copy(text, 0)
    else:
        raise Unfixable(f"`{dotted or context.text.segment(node.func)}` has no out-of-place form here")
    if "out" in given and (path := path_of(written)):
        operands = [*node.args, *(value for name, value in given.items() if name != "out")]
        if judge_dtype(context, written, operands, context.tree.statement(node), own=False) != SAFE:
            new = f"{new}.to({path}.dtype)"
    try:
        proposal = _place(context, node, written, new)
    except Unfixable:
        if "out" in given and (copied := _copied(context, node, written)) is not None:
            return copied
        raise
    if "out" in given and (proposal.verdict.seen or proposal.verdict.held):
        return _copied(context, node, written) or proposal
    return proposal


def _copied(context: Context, node: ast.Call, written: ast.expr) -> Proposal | None:
    """`f(a, out=b)` -> `b.copy_(f(a))`, where others hold b, or it is a view."""
    statement = context.tree.statement(node)
    alone = isinstance(statement, ast.Expr) and statement.value is node
    if context.code != "IPG110" or not alone or has_effects(written) or isinstance(written, ast.Tuple | ast.List):
        return None
    bases = {base_of(thing) for thing in context.judge.things(written, statement) or ()}
    if not all(base[0] in ("new", "old", "list", "old list") and not _is_empty(base[1]) for base in bases):
        return None
    new = f"{context.text.segment(written)}.copy_({drop_argument(context.text.segment(node), 'out')})"
    verdict = Verdict.doubt("it has to have the shape of the result already")
    return Proposal(f"copy the result into `{context.text.segment(written)}`", (context.replace(node, new),), verdict)


def _place(context: Context, node: ast.Call, written: ast.expr, new: str) -> Proposal:
    statement = context.tree.statement(node)
    path = path_of(written)
    scope = context.tree.scope(statement)
    if isinstance(statement, ast.Expr) and statement.value is node:
        element = isinstance(written, ast.Subscript) and context.program.kinds.is_container(written.value, scope)
        if element and isinstance(written, ast.Subscript):
            path = path_of(written.value)
        if not path or has_effects(written) or (isinstance(written, ast.Attribute) and ops.attribute(written.attr)):
            raise Unfixable(f"`{context.text.segment(written)}` cannot be given a new tensor")
        edits = context.assign(context.text.segment(written), statement, new)
        write = Write(context.code, statement, written, path, element)
        return context.propose(f"give `{context.text.segment(written)}` the result", edits, write)
    edits = [context.replace(node, new)]
    target = context.also_rebound(path, node)
    if target:
        start = context.text.span(node)[0]
        edits.append(Edit(start, start, f"{path} = "))
    return context.propose(
        f"make a new tensor instead of writing into `{context.text.segment(written)}`",
        edits,
        Write(context.code, node, written, target),
    )


def _is_empty(made: ast.AST) -> bool:
    """Whether `out=` may give it another shape: `torch.empty(0)`, and what is made in unknown ways."""
    if isinstance(made, ast.List | ast.Tuple | ast.ListComp):
        return False  # what it holds is looked at
    if not isinstance(made, ast.Call) or not made.args:
        return True
    return any((isinstance(size, ast.Constant) and size.value == 0) or isinstance(size, ast.List) for size in made.args)


def _first(node: ast.Call) -> ast.expr:
    if node.args:
        return node.args[0]
    found = next((keyword.value for keyword in node.keywords if keyword.arg == "input"), None)
    if found is None:
        raise Unfixable("what it writes cannot be told")
    return found


def _position(dotted: str, name: str) -> int:
    op = ops.lookup(dotted)
    names = [parameter.name for parameter in op.overloads[0].params] if op is not None else []
    return names.index(name) if name in names else -1


def _writes_first(dotted: str) -> bool:
    """Whether a function may write its first argument, as `F.elu_` and `F.relu(x, inplace=flag)` do, to compute."""
    op = ops.lookup(dotted)
    if op is None or dotted.startswith("torch.nn.init."):
        return False
    first = op.overloads[0].params[0]
    written = {write.partition("?")[0] for overload in op.overloads for write in overload.writes}
    return written == {first.name} and first.kind == "Tensor"


def _is_true(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is True
