"""Code that runs with grad mode off, or on a detached tensor, though a gradient is meant to come through it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inplace_guard.fixes.context import Context, Proposal
from inplace_guard.fixes.text import Edit, Unfixable
from inplace_guard.fixes.tree import path_of
from inplace_guard.fixes.verdict import Verdict

__all__ = ["no_inference_mode", "with_graph", "with_losses"]

_OFF = {"torch.no_grad", "torch.autograd.no_grad", "torch.inference_mode", "torch.autograd.inference_mode"}
_CUTTING = {"detach", "detach_", "item", "tolist"}


def no_inference_mode(context: Context, node: ast.AST) -> Iterator[Proposal]:
    """`torch.inference_mode()` -> `torch.no_grad()`, whose tensors may be used afterwards."""
    verdict = Verdict.doubt("no_grad keeps version counters, and is a little slower")
    for call in _switches(context):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "inference_mode" and not call.args:
            edit = context.replace(call.func, f"{context.text.segment(call.func.value)}.no_grad")
            yield Proposal("make the tensors under no_grad", (edit,), verdict)


def with_graph(context: Context, node: ast.AST) -> Iterator[Proposal]:
    """The grad mode or the `.detach()` around the write goes: nearest first, then anywhere in the file."""
    verdict = Verdict.doubt("a gradient then flows through it, which may have been cut on purpose")
    statement = context.tree.statement(node)
    if context.code == "IPG210":
        for part in ast.walk(statement):
            if isinstance(part, ast.expr) and (edit := _uncut(context, part)) is not None:
                yield Proposal("write the tensor itself, so that autograd sees it", (edit,), verdict)
    around = list(context.tree.above(statement))
    calls = sorted(_switches(context), key=lambda call: not any(p in around for p in context.tree.above(call)))
    for call in calls:
        if (edit := _switched_on(context, call)) is not None:
            yield Proposal(f"record what line {call.lineno} keeps from autograd", (edit,), verdict)


def with_losses(context: Context, node: ast.AST) -> Iterator[Proposal]:
    """`torch.tensor(losses)` -> `torch.stack(losses)`; `loss.item()`, `loss.detach()` -> `loss`."""
    verdict = Verdict.doubt("the gradient then flows, which may have been cut on purpose")
    statement = context.tree.statement(node)
    scope = context.tree.scope(statement)
    call = statement.value if isinstance(statement, ast.Expr) else None
    func = call.func if isinstance(call, ast.Call) else None
    path = path_of(func.value) if isinstance(func, ast.Attribute) and func.attr == "detach_" else ""
    if path and isinstance(statement, ast.Expr):
        edits = context.assign(path, statement, f"{path}.detach()")
        yield Proposal(f"detach `{path}` alone", tuple(edits), Verdict.doubt("other names of it keep their graph"))
    parts = [part for part in context.tree.parents if isinstance(part, ast.Call | ast.Attribute)]
    parts.sort(key=lambda part: (context.tree.scope(context.tree.statement(part)) is not scope, part.lineno))
    for part in parts:
        if isinstance(part, ast.Call) and context.tree.dotted(part.func) in ("torch.tensor", "torch.as_tensor"):
            if not part.args or isinstance(part.args[0], ast.Constant):
                continue
            inner = context.text.segment(part.args[0])
            if context.kinds(part.args[0]) == {"tensor"}:
                yield Proposal("keep the graph", (_instead(context, part, inner),), verdict)
                continue
            stack = f"{context.text.segment(part.func).rpartition('.')[0] or 'torch'}.stack({inner})"
            yield Proposal("keep the graph", (context.replace(part, stack),), verdict)
            for name in _cut_inside(part.args[0]):
                text = context.text.segment(name)
                yield Proposal("keep the graph", (context.replace(part, text),), verdict)
            if path_of(part.args[0]):
                yield Proposal("keep the graph", (context.replace(part, inner),), verdict)
        elif (edit := _uncut(context, part)) is not None:
            yield Proposal("keep the graph", (edit,), verdict)


def _instead(context: Context, part: ast.Call, inner: str) -> Edit:
    """`loss = torch.tensor(loss)` goes; elsewhere what was given takes the place of the call."""
    statement = context.tree.parents[part]
    if isinstance(statement, ast.Assign) and [path_of(target) for target in statement.targets] == [inner]:
        try:
            return Edit(*context.lines_of(statement), "")
        except Unfixable:
            pass
    return context.replace(part, inner)


def _cut_inside(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CUTTING:
        yield node.func.value


def _uncut(context: Context, part: ast.AST) -> Edit | None:
    """`h.detach()` -> `h`, `loss.item()` -> `loss`, `h.data` -> `h`."""
    if isinstance(context.tree.parents.get(part), ast.Expr):
        return None
    call = part if isinstance(part, ast.Call) and not part.args and not part.keywords else None
    if call is not None and isinstance(call.func, ast.Attribute) and call.func.attr in _CUTTING:
        end = context.text.span(call)[1]
        above = context.tree.parents.get(call)
        if isinstance(above, ast.Attribute) and above.attr == "requires_grad_":
            outer = context.tree.parents[above]
            end = context.text.span(outer)[1] if isinstance(outer, ast.Call) else end
        return Edit(_end(context, call.func.value), end, "")
    if isinstance(part, ast.Attribute) and part.attr == "data" and isinstance(part.ctx, ast.Load):
        return Edit(_end(context, part.value), context.text.span(part)[1], "")
    return None


def _end(context: Context, inner: ast.expr) -> int:
    """Where an expression ends, brackets around it included."""
    end = context.text.span(inner)[1]
    while context.text.text[end : end + 1] == ")":
        end += 1
    return end


def _switches(context: Context) -> list[ast.Call]:
    """The calls `torch.no_grad()` and `torch.inference_mode()` that are decorators or stand in a `with`."""
    return [
        call
        for call in context.tree.calls
        if context.tree.dotted(call.func) in _OFF
        and not call.args
        and isinstance(context.tree.parents[call], ast.withitem | ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def _switched_on(context: Context, call: ast.Call) -> Edit | None:
    holder = context.tree.parents[call]
    if isinstance(holder, ast.FunctionDef | ast.AsyncFunctionDef):
        start, end = context.text.span(call)
        at = context.text.text.rfind("@", 0, start)
        indentation = context.text.indentation(at)
        if indentation is None:
            return None
        rest = context.text.line_end(end)
        after = context.text.text.find(rest, end)
        if context.text.text[end:after].strip():
            return None
        return Edit(at - len(indentation), after + len(rest), "")
    block = context.tree.parents[holder]
    if isinstance(block, ast.With) and len(block.items) == 1 and len(block.body) == 1:
        try:
            return _dedented(context, block)
        except Unfixable:
            pass
    if not isinstance(call.func, ast.Attribute):
        return None
    return context.replace(call.func, f"{context.text.segment(call.func.value)}.enable_grad")


def _dedented(context: Context, block: ast.With) -> Edit:
    """The one line of a `with` in its place."""
    (inner,) = block.body
    start, end = context.text.span(block)
    first, last = context.text.span(inner)
    if context.text.indentation(start) is None or inner.lineno != inner.end_lineno or inner.lineno == block.lineno:
        raise Unfixable("it is not a line of its own")
    if "#" in context.text.text[start:first] or last != end:
        raise Unfixable("a comment stands in between")
    return Edit(start, first, "")
