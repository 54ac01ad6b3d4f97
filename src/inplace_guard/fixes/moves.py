"""Parameters written before a backward that still needs them -> the write after that backward.

The statement that moves is the write itself (`opt.step()`), or the call of the function that has the write in it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inplace_guard import ops
from inplace_guard.fixes.context import Context, Proposal
from inplace_guard.fixes.copying import written_root
from inplace_guard.fixes.memory import Things, base_of, overlap
from inplace_guard.fixes.text import Edit, Unfixable
from inplace_guard.fixes.tree import last_name, names_in, path_of, stored_by
from inplace_guard.fixes.twins import writes_itself
from inplace_guard.fixes.verdict import Verdict

__all__ = ["backward_early", "backward_first", "moved", "one_step", "propose", "runs"]

_DEEPEST = 3
# Methods that are called around a backward and compute nothing from the parameters.
_QUIET = {
    "backward",
    "manual_backward",
    "zero_grad",
    "step",
    "parameters",
    "named_parameters",
    "append",
    "update",
    "add_scalar",
}


def propose(context: Context, node: ast.AST) -> Proposal:
    """Raises Unfixable."""
    needed = context.finding.needed
    if needed is None or needed.path != context.finding.write.path:
        raise Unfixable("the backward that needs the parameters is not in this file")
    backwards = _statements_at(context, needed.line)
    pairs = [
        (statement, target)
        for statement in runs(context, node)
        if (target := _follower(context, statement, backwards)) is not None
    ]
    if not pairs:
        raise Unfixable("the backward that needs the parameters does not follow it in the same block")
    if len(pairs) > 1:
        lines = ", ".join(dict.fromkeys(f"line {statement.lineno}" for statement, _ in pairs))
        raise Unfixable(f"the write may run in more than one way ({lines}) before a backward that needs the parameters")
    statement, target = pairs[0]
    block = context.tree.block(statement)
    if not _is_step(statement):
        if not _is_unconditional(context, node):
            raise Unfixable("it is written on a condition")
        if _uses_gradients(context, node):
            raise Unfixable("it uses the gradients that are there before that backward")
        target = block[_after_step(block, block.index(target))]
    between = block[block.index(statement) + 1 : block.index(target) + 1]
    objects = _objects(statement)
    for other in between:
        if used := objects & (names_in(other) | stored_by(other)):
            raise Unfixable(f"`{min(used)}` is used again before that backward")
        if read := _given(statement) & (_computed(other) if other in backwards else names_in(other)):
            raise Unfixable(f"line {other.lineno} reads `{min(read)}`")
    if (reader := _reads_written(context, node, statement, between, backwards)) is not None:
        raise Unfixable(f"line {reader[1].lineno} reads `{reader[0]}`, which may be the same tensor")
    if (line := next((other.lineno for other in between if _may_run_forward(context, other)), None)) is not None:
        raise Unfixable(f"line {line} may compute with the new values")
    edits: list[Edit] = []
    reason = "the forward and backward before it then use the old values alone"
    if _is_step(statement):
        reason = "the other step then uses a gradient from before this one"
        edits += _only_its_own(context, target, block[block.index(target) + 1 :], optimizer=min(objects, default=""))
    start, end = context.lines_of(statement)
    after = context.lines_of(target)[1]
    moved = context.text.text[start:end]
    if context.text.text[after - 1] not in "\r\n":
        moved = context.text.line_end(start) + moved.rstrip("\r\n")
    edits += [Edit(start, end, ""), Edit(after, after, moved)]
    description = f"move `{_short(context, statement)}` behind line {target.lineno}"
    return Proposal(description, tuple(edits), Verdict.doubt(reason))


def moved(context: Context, node: ast.AST) -> Iterator[Proposal]:
    """The same as `propose`, where that is one of several things to try."""
    try:
        yield propose(context, node)
    except Unfixable:
        return


def backward_first(context: Context, node: ast.AST) -> Iterator[Proposal]:
    """The backward that needs the parameters -> before the gradients of the step are zeroed, if its loss is there."""
    needed = context.finding.needed
    step = context.tree.statement(node)
    if needed is None or not _is_step(step):
        return
    block = context.tree.block(step)
    at, objects = block.index(step), _objects(step)
    backward = next((s for s in block[at + 1 :] if s in _statements_at(context, needed.line)), None)
    zeroing = [s for s in block[:at] if _calls(s) == "zero_grad" and _objects(s) & objects]
    if backward is None or not zeroing or _calls(backward) != "backward":
        return
    first = block.index(zeroing[-1])
    between = block[first : block.index(backward)]
    if any(_calls(s) == "zero_grad" for s in block[at : block.index(backward)]):
        return
    if names_in(backward) & frozenset().union(*[stored_by(s) for s in between]):
        return
    try:
        start, end = context.lines_of(backward)
        to = context.lines_of(zeroing[-1])[0]
    except Unfixable:
        return
    text = context.text.text[start:end]
    if not text.endswith(("\r", "\n")):
        return
    verdict = Verdict.doubt("its gradients are made before the step of the other optimizer")
    yield Proposal(
        f"move `{_short(context, backward)}` before line {zeroing[-1].lineno}",
        (Edit(to, to, text), Edit(start, end, "")),
        verdict,
    )


def backward_early(context: Context, node: ast.AST) -> Iterator[Proposal]:
    """`loss = ...; write(); loss.backward()` -> the backward right behind its loss, and zero_grad with it."""
    needed = context.finding.needed
    if needed is None or not _is_unconditional(context, node) or _uses_gradients(context, node):
        return
    for backward in _statements_at(context, needed.line):
        call = backward.value if isinstance(backward, ast.Expr) else None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or _calls(backward) != "backward":
            continue
        loss = context.text.segment(call.func.value)
        scope = context.tree.scope(backward)
        made = [
            n
            for n in ast.walk(scope)
            if isinstance(n, ast.Assign)
            and n.lineno < backward.lineno
            and context.tree.scope(n) is scope
            and any(context.text.segment(target) == loss for target in n.targets)
        ]
        if not made or not _only_with(context, made[-1], backward):
            continue
        last = max(made, key=lambda n: n.lineno)
        block = context.tree.block(backward)
        moving = [s for s in block[: block.index(backward)] if _calls(s) == "zero_grad" and s.lineno > last.lineno]
        moving.append(backward)
        try:
            spans = [context.lines_of(statement) for statement in moving]
            to = context.lines_of(last)[1]
        except Unfixable:
            continue
        indentation = context.text.indentation(context.text.span(last)[0]) or ""
        lines = [context.text.text[start:end] for start, end in spans]
        if any(line.count("\n") != 1 or "\r" in line.rstrip("\r\n") for line in lines):
            continue
        if to == spans[0][0] and last in block:
            continue  # it stands there already
        text = "".join(f"{indentation}{line.lstrip()}" for line in lines)
        verdict = Verdict.doubt("what stood between the loss and its backward then comes after it")
        edits = (Edit(to, to, text), *(Edit(start, end, "") for start, end in spans))
        yield Proposal(f"move `{_short(context, backward)}` behind line {last.lineno}", edits, verdict)


def _only_with(context: Context, one: ast.stmt, other: ast.stmt) -> bool:
    """Whether both always run together: nothing but `with` stands around one of them alone."""
    first, second = list(context.tree.above(one)), list(context.tree.above(other))
    return all(isinstance(p, ast.With) for p in [*first, *second] if (p in first) != (p in second))


def one_step(context: Context, node: ast.AST) -> Iterator[Proposal]:
    """`a.backward(); opt.step(); b.backward(); opt.step()` -> the gradients of both, and one step."""
    needed = context.finding.needed
    step = context.tree.statement(node)
    if needed is None or not _is_step(step):
        return
    objects, rest = _objects(step), context.tree.block(step)
    rest = rest[rest.index(step) + 1 :]
    backward = next((s for s in rest if s in _statements_at(context, needed.line)), None)
    if backward is None or not objects:
        return
    between, after = rest[: rest.index(backward)], rest[rest.index(backward) :]
    gone = [step, *(s for s in between if _calls(s) == "zero_grad" and _objects(s) & objects)]
    try:
        edits = [Edit(*context.lines_of(statement), "") for statement in gone]
        if not any(_is_step(s) and _objects(s) == objects for s in after):
            start, end = context.lines_of(step)
            to = context.lines_of(backward)[1]
            if any(_is_step(s) for s in after) or context.text.text[to - 1] not in "\r\n":
                return
            edits.append(Edit(to, to, context.text.text[start:end]))
    except Unfixable:
        return
    verdict = Verdict.doubt("the gradients of both losses are added up, and applied in one step")
    yield Proposal("make one step with the gradients of both backwards", tuple(edits), verdict)


def _calls(statement: ast.stmt) -> str:
    call = statement.value if isinstance(statement, ast.Expr) else None
    return call.func.attr if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else ""


def _only_its_own(context: Context, backward: ast.stmt, rest: list[ast.stmt], *, optimizer: str) -> list[Edit]:
    """Keeps the gradients of a backward away from the parameters whose step now follows it. Raises Unfixable."""
    call = backward.value if isinstance(backward, ast.Expr | ast.Assign) else None
    if isinstance(call, ast.Call) and context.tree.dotted(call.func) == "torch.autograd.grad":
        return []  # it leaves no gradients behind
    others = {path for statement in rest if _is_step(statement) for path in _objects(statement)} - {optimizer}
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "backward"):
        raise Unfixable("the gradients of that backward would become part of the step")
    if len(others) != 1 or any(keyword.arg == "inputs" for keyword in call.keywords):
        raise Unfixable("the gradients of that backward would become part of the step")
    assert isinstance(call, ast.Call)
    end = context.text.span(call)[1] - 1
    comma = ", " if call.args or call.keywords else ""
    if context.text.text[:end].rstrip().endswith(","):
        raise Unfixable("the gradients of that backward would become part of the step")
    params = f'inputs=[p for group in {min(others)}.param_groups for p in group["params"]]'
    return [Edit(end, end, f"{comma}{params}")]


def _objects(statement: ast.stmt) -> frozenset[str]:
    """What is called: an optimizer that is used in between must not move."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        function = statement.value.func
        if isinstance(function, ast.Attribute) and (path := path_of(function.value)) and path != "self":
            return frozenset((path,))
    return frozenset()


def _short(context: Context, statement: ast.stmt) -> str:
    return " ".join(context.text.segment(statement).split())


def runs(context: Context, node: ast.AST) -> Iterator[ast.stmt]:
    """The statements that run the write: its own, and those that only call a function that does."""
    seen: set[ast.AST] = set()
    todo: list[tuple[ast.AST, int]] = [(node, 0)]
    while todo:
        at, depth = todo.pop()
        statement = context.tree.statement(at)
        if statement in seen:
            continue
        seen.add(statement)
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            yield statement
        if _only_writes(statement) and (loop := _loop_around(context, statement)) is not None:
            yield loop
        function = context.tree.scope(statement)
        if isinstance(function, ast.FunctionDef) and function not in seen and depth < _DEEPEST:
            seen.add(function)
            for call in _callers(context, function):
                if isinstance(context.tree.parents[call], ast.Expr):
                    todo.append((call, depth + 1))


def _callers(context: Context, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.Call]:
    """Where it is called; `opt.step()` is no call of the file's own method `step`."""
    for call in context.judge.callers.named(function):
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else call.func
        if last_name(receiver) not in context.program.holdings.optimizers:
            yield call


def _given(statement: ast.stmt) -> frozenset[str]:
    """The variables that a call is given, which it may write."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    parts = [*call.args, *(k.value for k in call.keywords)] if isinstance(call, ast.Call) else [statement]
    return frozenset(path for part in parts for path in names_in(part) if "." not in path)


def _reads_written(
    context: Context, node: ast.AST, statement: ast.stmt, between: list[ast.stmt], backwards: set[ast.stmt]
) -> tuple[str, ast.stmt] | None:
    """What is read between of the memory that is written, under whatever name."""
    root = written_root(node)
    own = context.tree.statement(node)
    if root is None or _is_step(own):
        return None
    written: Things = frozenset()
    if context.tree.scope(own) is context.tree.scope(statement):
        written = context.judge.things(root, own) or written
    else:
        call = statement.value if isinstance(statement, ast.Expr) else None
        given = [*call.args, *(k.value for k in call.keywords)] if isinstance(call, ast.Call) else []
        outer = (
            root if context.tree.home(path_of(root), context.tree.scope(own)) is context.tree.scope(statement) else None
        )
        for part in (*given, *([outer] if outer is not None else ())):
            written |= context.judge.things(part, statement) or frozenset()
    written = frozenset(thing for thing in written if base_of(thing)[0] != "outside")
    flow = context.program.flow(context.tree.scope(statement))
    for other in between:
        state = flow.before.get(other) if flow is not None else None
        names = state.names if state is not None else {}
        for path in sorted(_computed(other) if other in backwards else names_in(other)):
            if any(overlap(one, thing) for one in written for thing in names.get(path, ())):
                return path, other
    return None


def _computed(backward: ast.stmt) -> frozenset[str]:
    """What the loss is computed from in the backward's own statement: `h` in `h.sum().backward()`."""
    calls = [node for node in ast.walk(backward) if isinstance(node, ast.Call)]
    outer = max(calls, key=lambda call: (call.end_lineno or 0, call.end_col_offset or 0), default=None)
    loss = outer.func.value if outer is not None and isinstance(outer.func, ast.Attribute) else None
    if outer is not None and outer.args and last_name(outer.func) == "grad":
        loss = outer.args[0]
    return frozenset() if loss is None or path_of(loss) else names_in(loss)


def _loop_around(context: Context, statement: ast.stmt) -> ast.stmt | None:
    """The loop that does nothing else than what the statement does: `for p in net.parameters(): p.data.clamp_(0, 1)`,
    and `no_grad` around it."""
    loop: ast.stmt | None = None
    for parent in context.tree.above(statement):
        if not isinstance(parent, ast.For | ast.With) or not all(
            inner is statement or _only_writes(inner) for inner in parent.body
        ):
            break
        statement = parent
        loop = parent
    return loop if loop is not None and any(isinstance(inner, ast.For) for inner in ast.walk(loop)) else None


def _uses_gradients(context: Context, node: ast.AST) -> bool:
    """Whether the function with the write in it reads or clears `.grad`, which another backward changes."""
    scope = context.tree.scope(context.tree.statement(node))
    part = context.tree.statement(node) if isinstance(scope, ast.Module) else scope
    if any(_calls(statement) == "backward" for statement in ast.walk(part) if isinstance(statement, ast.stmt)):
        part = context.tree.statement(node)  # the training loop itself
    attributes = [inner for inner in ast.walk(part) if isinstance(inner, ast.Attribute) and inner.attr == "grad"]
    return any(not context.tree.dotted(attribute) for attribute in attributes)


def _only_writes(statement: ast.stmt) -> bool:
    """`p.data.mul_(0.9)`, `p += 1`."""
    return isinstance(statement, ast.AugAssign) or writes_itself(_calls(statement))


def _statements_at(context: Context, line: int) -> set[ast.stmt]:
    """The statement on this line, and those that call the function that it stands in."""
    found: set[ast.stmt] = {
        n for n in context.tree.parents if isinstance(n, ast.Expr | ast.Assign | ast.Return) and n.lineno == line
    }
    todo = [(statement, 0) for statement in found]
    while todo:
        statement, depth = todo.pop()
        function = context.tree.scope(statement)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and depth < _DEEPEST:
            for call in _callers(context, function):
                caller = context.tree.statement(call)
                if caller not in found:
                    found.add(caller)
                    todo.append((caller, depth + 1))
    return {statement for statement in found if isinstance(statement, ast.Expr | ast.Assign)}


def _follower(context: Context, statement: ast.stmt, backwards: set[ast.stmt]) -> ast.stmt | None:
    block = context.tree.block(statement)
    return next((other for other in block[block.index(statement) + 1 :] if other in backwards), None)


def _may_run_forward(context: Context, statement: ast.stmt) -> bool:
    """Whether the statement calls more than torch's own functions, which read no parameters by themselves."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and not context.tree.dotted(node.func).startswith("torch."):
            name = last_name(node.func)
            if not isinstance(node.func, ast.Attribute) and name not in ("print", "list", "float", "len"):
                return True
            if isinstance(node.func, ast.Attribute) and name not in _QUIET and ops.method(name) is None:
                return True
    return False


def _is_step(statement: ast.stmt) -> bool:
    return _calls(statement) == "step"


def _after_step(block: list[ast.stmt], at: int) -> int:
    """What is done to parameters (clipping, averaging) is done after the optimizer step that follows the backward."""
    for number in range(at + 1, len(block)):
        if not isinstance(block[number], ast.Expr):
            break
        if _is_step(block[number]):
            return number
    return at


def _is_in(block: list[ast.stmt], node: ast.AST) -> bool:
    return any(inner is node for statement in block for inner in ast.walk(statement))


def _is_unconditional(context: Context, node: ast.AST) -> bool:
    """Whether the function always comes to the write: what is done on a condition is more than an update."""
    for parent in context.tree.above(node):
        if isinstance(parent, ast.FunctionDef | ast.AsyncFunctionDef | ast.Module):
            return True
        if (
            isinstance(parent, ast.If)
            and isinstance(parent.test, ast.Call)
            and path_of(parent.test.func) == "isinstance"
        ):
            continue
        if isinstance(parent, ast.If | ast.While | ast.Match):
            return False
        if isinstance(parent, ast.Try) and not _is_in(parent.finalbody, node):
            return False
    return True
