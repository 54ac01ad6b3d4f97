"""Custom Functions, hooks and checkpointed segments that write what they are handed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inplace_guard.fixes import augmented, methods
from inplace_guard.fixes.context import Context, Proposal
from inplace_guard.fixes.copying import written_root
from inplace_guard.fixes.rewrite import no_augmentation
from inplace_guard.fixes.text import Edit, Unfixable
from inplace_guard.fixes.tree import has_effects, names_in, path_of
from inplace_guard.fixes.twins import method_twin
from inplace_guard.fixes.verdict import Verdict

__all__ = ["bound_early", "marked", "returned", "unmarked", "without_checkpoint"]


def marked(context: Context, node: ast.AST) -> Iterator[Proposal]:
    """A custom Function that writes its argument and returns it -> `ctx.mark_dirty(x)`."""
    forward, root = _forward(context, node), written_root(node)
    if forward is None or not isinstance(root, ast.Name):
        return
    ctx = forward.args.args[0].arg
    if any(isinstance(n, ast.Attribute) and n.attr == "mark_dirty" for n in ast.walk(forward)):
        return
    if not any(isinstance(n, ast.Return) and n.value is not None and root.id in names_in(n.value)
               for n in ast.walk(forward)):  # fmt: skip
        return  # what is marked has to be returned
    statement = context.tree.statement(node)
    while statement not in forward.body:
        statement = context.tree.statement(context.tree.parents[statement])
    try:
        end = context.lines_of(statement)[1]
    except Unfixable:
        return
    indentation = context.text.indentation(context.text.span(statement)[0]) or ""
    line = f"{indentation}{ctx}.mark_dirty({root.id}){context.text.line_end(context.text.span(statement)[0])}"
    verdict = Verdict.doubt("the Function goes on writing its argument, for everybody who holds it")
    yield Proposal(f"tell autograd of the write with `mark_dirty({root.id})`", (Edit(end, end, line),), verdict)


def unmarked(context: Context, node: ast.AST) -> Iterator[Proposal]:
    """A custom Function that may not write its argument -> it writes a copy, and marks nothing as dirty."""
    forward, root = _forward(context, node), written_root(node)
    if forward is None or not isinstance(root, ast.Name):
        return
    statement = context.tree.statement(node)
    edits = [context.before(statement, f"{root.id} = {root.id}.clone()")]
    for mark in forward.body:
        call = mark.value if isinstance(mark, ast.Expr) else None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "mark_dirty":
            if [path_of(argument) for argument in call.args] != [root.id]:
                return
            try:
                edits.append(Edit(*context.lines_of(mark), ""))
            except Unfixable:
                return
    verdict = Verdict.doubt("callers have to use what the Function returns: their tensor stays as it is")
    yield Proposal(f"let the Function write a copy of `{root.id}`", tuple(edits), verdict)


def _forward(context: Context, node: ast.AST) -> ast.FunctionDef | None:
    scope = context.tree.scope(context.tree.statement(node))
    owner = context.tree.owner(scope)
    if owner is None or not any(path_of(base).rpartition(".")[2] == "Function" for base in owner.bases):
        return None
    if not isinstance(scope, ast.FunctionDef) or scope.name != "forward" or not scope.args.args:
        return None
    return scope


def returned(context: Context, node: ast.AST) -> Iterator[Proposal]:
    """A hook that writes what it is handed as its last act -> it returns the new value."""
    statement = context.tree.statement(node)
    scope = context.tree.scope(statement)
    if not isinstance(scope, ast.FunctionDef) or scope.body[-1] is not statement:
        return
    if any(isinstance(n, ast.Return) for n in ast.walk(scope)):
        return
    if any(isinstance(context.tree.parents[call], ast.Expr) for call in context.judge.callers.named(scope)):
        return  # it is called for the write
    if isinstance(statement, ast.Assign):
        yield from _returned_copy(context, statement, scope)
        return
    if isinstance(statement, ast.AugAssign):
        written: ast.expr = statement.target
        new = no_augmentation(context.text.segment(statement)).partition(" = ")[2]
    elif isinstance(statement, ast.Expr) and isinstance(call := statement.value, ast.Call):
        if not isinstance(call.func, ast.Attribute) or not (twin := method_twin(call.func.attr)):
            return
        written = call.func.value
        end = context.text.span(call.func)[1]
        start = end - len(call.func.attr)
        text = context.text.text
        new = text[context.text.span(call)[0] : start] + twin + text[end : context.text.span(call)[1]]
    else:
        return
    holder = written.value if isinstance(written, ast.Subscript) else written
    names = {argument.arg for argument in scope.args.args}
    if not isinstance(holder, ast.Name) or holder.id not in names or has_effects(written):
        return
    if isinstance(written, ast.Subscript):
        if not isinstance(written.slice, ast.Constant) or written.slice.value != 0:
            return
        new = f"({new}, *{holder.id}[1:])"
    verdict = Verdict.doubt("only if the function is a hook, whose result takes the place of what it is handed")
    yield Proposal("return the new value", (context.replace(statement, f"return {new}"),), verdict)


def _returned_copy(context: Context, statement: ast.Assign, scope: ast.FunctionDef) -> Iterator[Proposal]:
    """`output.data[:, i] = 0` as the last act of a hook."""
    (target, *others) = statement.targets
    holder: ast.expr = target.value if isinstance(target, ast.Subscript) else target
    if others or not isinstance(target, ast.Subscript):
        return
    if isinstance(holder, ast.Call) and isinstance(holder.func, ast.Attribute) and holder.func.attr == "detach":
        holder = holder.func.value
    elif isinstance(holder, ast.Attribute) and holder.attr == "data":
        holder = holder.value
    if not isinstance(holder, ast.Name) or holder.id not in {argument.arg for argument in scope.args.args}:
        return
    start, end = context.text.span(statement)
    indentation, line_end = context.text.indentation(start), context.text.line_end(start)
    if indentation is None:
        return
    edits = (
        context.before(statement, f"{holder.id} = {holder.id}.clone()"),
        context.replace(target.value, holder.id),
        Edit(end, end, f"{line_end}{indentation}return {holder.id}"),
    )
    verdict = Verdict.doubt("only if the function is a hook, whose result takes the place of what it is handed")
    yield Proposal("return a changed copy", edits, verdict)


def bound_early(context: Context, node: ast.AST) -> Iterator[Proposal]:
    """What a recomputed function captures and is written later -> it is captured when the function is made."""
    root = written_root(node)
    if not isinstance(root, ast.Name) or not isinstance(node, ast.AugAssign | ast.Call):
        return
    try:
        edits = list((augmented if isinstance(node, ast.AugAssign) else methods).propose(context, node).edits)
    except Unfixable:
        return
    scope = context.tree.scope(context.tree.statement(node))
    capturing = [
        function
        for function in ast.walk(scope)
        if isinstance(function, ast.FunctionDef)
        and function is not scope
        and root.id not in context.tree.local(function)
        and any(isinstance(n, ast.Name) and n.id == root.id for n in ast.walk(function))
    ]
    for function in capturing:
        arguments = function.args
        if arguments.vararg or arguments.kwonlyargs or arguments.kwarg or arguments.posonlyargs:
            return
        start = context.text.offset(function.lineno, function.col_offset)
        last: list[ast.arg | ast.expr] = [*arguments.args, *arguments.defaults]
        at = context.text.text.index("(", start) + 1
        if last:
            at = max(context.text.offset(n.end_lineno or 0, n.end_col_offset or 0) for n in last)
        edits.append(context.insert(at, f"{', ' if last else ''}{root.id}={root.id}"))
    if capturing:
        verdict = Verdict.doubt("the function then keeps the value that it was made with")
        yield Proposal(f"let the function keep its own `{root.id}`", tuple(edits), verdict)


def without_checkpoint(context: Context, node: ast.AST) -> Iterator[Proposal]:
    """`checkpoint(f, x, use_reentrant=False)` -> `f(x)`, which runs once."""
    verdict = Verdict.doubt("without checkpointing it takes the memory that checkpointing saves")
    for call in context.tree.calls:
        if not context.tree.dotted(call.func).startswith("torch.utils.checkpoint.checkpoint") or not call.args:
            continue
        names = {"use_reentrant", "preserve_rng_state", "determinism_check", "debug", "context_fn", "early_stop"}
        given = [context.text.segment(part) for part in call.args[1:]]
        for keyword in call.keywords:
            if keyword.arg not in names:
                given.append(f"{keyword.arg}={context.text.segment(keyword.value)}" if keyword.arg else
                             f"**{context.text.segment(keyword.value)}")  # fmt: skip
        function = context.text.segment(call.args[0])
        if isinstance(call.args[0], ast.Lambda):
            function = f"({function})"
        if context.tree.dotted(call.func).endswith("checkpoint_sequential"):
            continue
        edit = context.replace(call, f"{function}({', '.join(given)})")
        yield Proposal(f"run line {call.lineno} without checkpointing", (edit,), verdict)
