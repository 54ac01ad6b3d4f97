"""A forward that parameters were written after -> it is computed again; what outlives its step -> it is emptied."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inplace_guard.fixes import moves
from inplace_guard.fixes.context import Context, Proposal
from inplace_guard.fixes.copying import may_be_tensor, written_root
from inplace_guard.fixes.text import Edit, Unfixable
from inplace_guard.fixes.tree import last_name, names_in, path_of, root_of, stored_by
from inplace_guard.fixes.twins import writes_itself
from inplace_guard.fixes.verdict import Verdict

__all__ = ["cleared", "redone", "redone_between", "shares_forward"]

_FORWARD = Verdict.doubt("the forward runs once more, with the parameters as they are after the write")


def shares_forward(context: Context, node: ast.AST) -> bool:
    """`a.backward(retain_graph=True); opt.step(); b.backward()`: both losses are made of one forward."""
    step = context.tree.statement(node)
    block = context.tree.block(step)
    for statement in reversed(block[: block.index(step)]):
        for call in ast.walk(statement):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "backward":
                return any(keyword.arg == "retain_graph" for keyword in call.keywords)
    return False


def redone(context: Context, node: ast.AST) -> Iterator[Proposal]:
    """What the later backward needs is computed again after the step, or where that backward is."""
    needed = context.finding.needed
    if needed is None or needed.path != context.finding.write.path:
        return
    backwards = [
        n for n in context.tree.parents if isinstance(n, ast.Expr | ast.Assign | ast.Return) and n.lineno == needed.line
    ]
    for step in moves.runs(context, node):
        block = context.tree.block(step)
        for backward in backwards:
            if backward in block and block.index(backward) > block.index(step):
                yield from _after(context, step, block, backward, _written(context, node))
    for backward in backwards:
        yield from _elsewhere(context, backward)


def redone_between(context: Context, node: ast.AST) -> Iterator[Proposal]:
    """The same, where the write stands between two backwards through one graph."""
    if any(shares_forward(context, step) for step in moves.runs(context, node)):
        yield from redone(context, node)


def _written(context: Context, node: ast.AST) -> frozenset[str]:
    """The names of what is written: in the function itself, and where that is called."""
    call = node if isinstance(node, ast.Call) else None
    passed = (
        call is not None and call.args and not (isinstance(call.func, ast.Attribute) and writes_itself(call.func.attr))
    )
    root = root_of(call.args[0]) if call is not None and passed else written_root(node)
    if not isinstance(root, ast.Name):
        return frozenset()
    names = {root.id}
    function = context.tree.scope(context.tree.statement(node))
    if isinstance(function, ast.FunctionDef):
        names.update(path_of(site.argument) for site in context.judge.callers.of(function, root.id) if site.argument)
    return frozenset(names - {""})


def _after(
    context: Context, step: ast.stmt, block: list[ast.stmt], backward: ast.stmt, written: frozenset[str]
) -> Iterator[Proposal]:
    before = block[: block.index(step)]
    ahead = block[: block.index(backward)]
    for name in sorted(names_in(backward)):
        made = next((s for s in reversed(ahead) if isinstance(s, ast.Assign) and name in stored_by(*s.targets)), None)
        if made is None or not may_be_tensor(context, made.value):
            continue
        redo: list[ast.stmt] = [made]
        wanted = names_in(made.value)
        for _ in range(3):
            if any(written & stored_by(statement) for statement in redo):
                break  # what is written would be made anew, and the write lost
            if any(_calls_module(context, statement) for statement in redo):
                yield from _moved(context, step, before, made, redo)
            known = [
                s
                for s in (before[: before.index(made)] if made in before else before)
                if isinstance(s, ast.Assign) and stored_by(*s.targets) & wanted and s not in redo
            ]
            last = {path: s for s in known for path in stored_by(*s.targets) if path in wanted}
            deps = [s for s in before if s in last.values() and _calls_module(context, s)]
            if not deps:
                break
            redo = [s for s in before if s in deps or s in redo]
            wanted = frozenset().union(*[names_in(s.value) for s in deps if isinstance(s, ast.Assign)])


def _moved(
    context: Context, step: ast.stmt, before: list[ast.stmt], made: ast.stmt, redo: list[ast.stmt]
) -> Iterator[Proposal]:
    if any("sample" in name or name.startswith("rand") for s in redo for name in _called(s)):
        return  # it would draw anew
    try:
        if made not in before:
            redo = [s for s in redo if s is not made]
            start = context.lines_of(made)[0]
            texts = [context.text.text[slice(*context.lines_of(s))] for s in redo]
            if redo and all(text.endswith(("\n", "\r")) for text in texts):
                edit = Edit(start, start, "".join(texts))
                yield Proposal(f"compute what line {made.lineno} needs once more", (edit,), _FORWARD)
            return
        after = context.lines_of(step)[1]
        own = context.lines_of(made)
        texts = [context.text.text[slice(*context.lines_of(statement))] for statement in redo]
    except Unfixable:
        return
    if any(not text.endswith(("\n", "\r")) for text in texts):
        return
    edits = [Edit(after, after, "".join(texts))]
    later = before[before.index(made) + 1 :]
    if not any(stored_by(made) & names_in(statement) for statement in [*later, step]):
        edits.insert(0, Edit(*own, ""))
    yield Proposal(f"compute `{min(stored_by(made))}` after the step", tuple(edits), _FORWARD)


def _elsewhere(context: Context, backward: ast.stmt) -> Iterator[Proposal]:
    """The backward stands in a function that was handed the result: it computes it itself."""
    function = context.tree.scope(backward)
    if not isinstance(function, ast.FunctionDef):
        return
    own = frozenset(context.tree.local(function)) | stored_by(*function.body)
    for path in sorted(names_in(*function.body) - own):
        for made in list(context.tree.parents):
            if not isinstance(made, ast.Assign) or path not in stored_by(*made.targets):
                continue
            if not _is_of(context, made, path, function) or not _calls_module(context, made):
                continue
            if not names_in(made.value) <= {n for n in names_in(made.value) if _is_seen(context, n, function)}:
                continue
            user = next((s for s in function.body if path in names_in(s)), None)
            line = context.text.segment(made)
            if user is not None and "\n" not in line and context.text.indentation(context.text.span(user)[0]):
                yield Proposal(f"compute `{path}` where it is needed", (context.before(user, line),), _FORWARD)


def _is_of(context: Context, made: ast.Assign, path: str, function: ast.FunctionDef) -> bool:
    """Whether the assignment gives the variable that the function reads."""
    scope = context.tree.scope(made)
    if path.startswith("self."):
        owner = context.tree.owner(function)
        return owner is not None and context.tree.owner(scope) is owner and scope is not function
    return "." not in path and context.tree.home(path, function) is scope and not isinstance(scope, ast.Module)


def _is_seen(context: Context, path: str, function: ast.FunctionDef) -> bool:
    root = path.partition(".")[0]
    home = context.tree.home(root, function)
    return home is not None and (root == "self" or home is not function)


def _calls_module(context: Context, statement: ast.stmt) -> bool:
    """Whether it calls a variable: a module, in all likelihood, and no function of torch or method of a tensor."""
    for call in ast.walk(statement):
        if not isinstance(call, ast.Call) or context.tree.dotted(call.func):
            continue
        path = path_of(call.func)
        plain = "." not in path and context.tree.home(path, context.tree.scope(statement)) is not None
        if path and (plain or path.startswith("self.")) and path not in context.tree.classes:
            return True
    return False


def _called(statement: ast.stmt) -> list[str]:
    return [last_name(n.func) for n in ast.walk(statement) if isinstance(n, ast.Call)]


def cleared(context: Context, node: ast.AST) -> Iterator[Proposal]:
    """A list that every step appends to and no step empties -> it is emptied after the step."""
    step = context.tree.statement(node)
    lists = {
        path_of(call.func.value).rpartition(".")[2]
        for call in context.tree.calls
        if isinstance(call.func, ast.Attribute) and call.func.attr == "append"
    }
    for call in context.tree.calls:
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("pop", "popleft", "remove", "clear"):
            lists.discard(path_of(call.func.value).rpartition(".")[2])  # somebody takes things out already
    function = context.tree.scope(step)
    read = [path for path in names_in(function) if path.rpartition(".")[2] in lists and "." in path]
    try:
        start, end = context.lines_of(step)
    except Unfixable:
        return
    indentation = context.text.indentation(context.text.span(step)[0]) or ""
    line_end = context.text.line_end(start)
    for path in sorted(read):
        line = f"{indentation}{path}.clear(){line_end}"
        if context.text.text[end - 1] in "\r\n":
            verdict = Verdict.doubt("what was kept for this step is gone after it")
            yield Proposal(f"empty `{path}` after the step", (Edit(end, end, line),), verdict)
