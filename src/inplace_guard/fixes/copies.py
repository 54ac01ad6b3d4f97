"""A copy where the memory came to be shared: of the alias, of what it is a view of, or of what was saved."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inplace_guard.fixes.context import Context, Proposal
from inplace_guard.fixes.copying import copied, is_alias, looks_like_copy, may_be_tensor, sharers, short, written_root
from inplace_guard.fixes.history import is_unrecorded
from inplace_guard.fixes.text import Edit
from inplace_guard.fixes.tree import last_name, path_of, root_of, stored_by
from inplace_guard.fixes.twins import writes_itself
from inplace_guard.fixes.verdict import Verdict

__all__ = [
    "at_binding",
    "of_kept",
    "of_lookalikes",
    "of_statistics",
    "of_swapped",
    "views_a_variable",
    "writes_lookalike",
]

_KEEPING = {"append", "appendleft", "insert", "add", "put", "push", "setdefault"}
_NEW_COPY = "who holds the tensor under another name does not see the write any more"
_KEPT_COPY = "what is kept does not follow the tensor any more"
_WITHOUT_GRADIENT = {"IPG202", "IPG206", "IPG207", "IPG211", "IPG212"}


def views_a_variable(context: Context, node: ast.AST) -> bool:
    """`v = x[0]`, where v is written and x is read later, by somebody who is to see the write."""
    root = written_root(node)
    if root is None or not may_be_tensor(context, root):
        return False
    scope = context.tree.scope(context.tree.statement(node))
    for given in ast.walk(scope):
        if isinstance(given, ast.Assign) and isinstance(root, ast.Name) and root.id in stored_by(*given.targets):
            base = _base(context, given.value)
            if isinstance(base, ast.Name) and context.judge.is_read_later(base.id, given):
                return True
    return False


def writes_lookalike(context: Context, node: ast.AST) -> bool:
    """`h = x.detach()`, where h is written: it was taken for a copy."""
    root = written_root(node)
    scope = context.tree.scope(context.tree.statement(node))
    return isinstance(root, ast.Name) and any(
        isinstance(given, ast.Assign) and root.id in stored_by(*given.targets) and _is_cut(given.value)
        for given in ast.walk(scope)
    )


def _is_cut(value: ast.expr) -> bool:
    return any(isinstance(n, ast.Attribute) and n.attr in ("detach", "data", "numpy") for n in ast.walk(value))


def at_binding(context: Context, node: ast.AST) -> Iterator[Proposal]:
    """`v = x[0]`, `for v in x`, where v is written: a copy of x before, or of what v is given."""
    root = written_root(node)
    if not isinstance(root, ast.Name):
        return
    statement = context.tree.statement(node)
    scope = context.tree.scope(statement)
    for loop in context.tree.above(statement):
        if loop is scope:
            break
        if isinstance(loop, ast.For) and root.id in stored_by(loop.target):
            yield from _before_loop(context, loop, root.id)
            return
    given = [n for n in ast.walk(scope) if isinstance(n, ast.Assign) and root.id in stored_by(*n.targets)]
    if not given and context.code == "IPG212" and isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
        yield from _of_argument(context, scope, root.id)
    if len(given) != 1 or len(given[0].targets) != 1 or context.tree.scope(given[0]) is not scope:
        return
    (binding,) = given
    base = _base(context, binding.value)
    later = isinstance(base, ast.Name) and context.judge.is_read_later(base.id, binding)
    copy = _of_value(context, binding) if isinstance(binding.targets[0], ast.Name) else None
    if not context.judge.is_read_later(root.id, statement) and context.code != "IPG106":
        copy = None  # the write is for those who hold the memory
    cut = _is_cut(binding.value)
    if (
        later
        and isinstance(base, ast.Name)
        and isinstance(binding.value, ast.Attribute)
        and binding.value.attr == "data"
    ):
        edit = _line_before(context, binding, f"{base.id} = {base.id}.clone()")
        if edit is not None and path_of(binding.value.value) == base.id:
            edits = [edit, context.replace(binding.value, base.id)]
            yield _proposal(f"write into a copy of `{base.id}`, so that autograd sees it", edits)
    if copy is not None and (cut or not later or context.code in ("IPG207", "IPG212")):
        yield copy
    if isinstance(base, ast.Name) and not cut and is_alias(context, binding.value) and may_be_tensor(context, base):
        yield from _before(context, binding, base.id)


def _of_argument(context: Context, function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> Iterator[Proposal]:
    """`def f(x): x -= 1; x /= 2`: a copy of x before the first write."""
    for statement in function.body:
        for inner in ast.walk(statement):
            plain = isinstance(inner, ast.Call) and not writes_itself(last_name(inner.func))
            root = None if plain else written_root(inner)
            if isinstance(root, ast.Name) and root.id == name:
                yield from _before(context, statement, name)
                return


def _base(context: Context, value: ast.expr) -> ast.expr:
    """What a view is taken from: `x` for `x[0].view(-1)` and `torch.view_as_real(x)`."""
    while not path_of(value):
        if isinstance(value, ast.Call) and context.tree.dotted(value.func):
            if not value.args or not is_alias(context, value):
                break
            value = value.args[0]
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            value = value.func.value
        elif isinstance(value, ast.Attribute | ast.Subscript):
            value = value.value
        else:
            break
    return root_of(value) if path_of(value) else value


def _of_value(context: Context, binding: ast.Assign) -> Proposal | None:
    (target,) = binding.targets
    if not is_alias(context, binding.value) or not may_be_tensor(context, target):
        return None
    edits = copied(context, binding.value)
    return _proposal(f"give `{path_of(binding.targets[0])}` memory of its own", edits) if edits else None


def _before_loop(context: Context, loop: ast.For, name: str) -> Iterator[Proposal]:
    for source in _sources(loop.target, loop.iter, name):
        source, listed = _unbound(context, source), source
        if isinstance(source, ast.Call) and source.args and not context.tree.dotted(source.func):
            source = source.args[0]  # a generator of views
        yield from _of_dict(context, loop, source)
        path = path_of(source)
        if not path or isinstance(root_of(source), ast.Attribute):
            continue
        scope = context.tree.scope(loop)
        if "." not in path and context.tree.home(path, scope) is scope:
            if context.program.kinds.is_container(source, scope):
                line = f"{path} = [value.clone() for value in {path}]"
                edit = _line_before(context, loop, line)
                if edit is not None:
                    yield _proposal(f"write into copies of what `{path}` holds", [edit])
                continue
            yield from _before(context, loop, path)
            yield from _one_by_one(context, source, _line_before(context, loop, f"{path} = {path}.clone()"), listed)
        yield from _one_by_one(context, source, None, listed)


def _of_dict(context: Context, loop: ast.For, source: ast.expr) -> Iterator[Proposal]:
    """`for v in d.values()`, where v is written -> d with copies before."""
    if not isinstance(source, ast.Call) or source.args or not isinstance(source.func, ast.Attribute):
        return
    path = path_of(source.func.value)
    scope = context.tree.scope(loop)
    if source.func.attr in ("values", "items") and path and "." not in path and context.tree.home(path, scope) is scope:
        edit = _line_before(context, loop, f"{path} = {{key: value.clone() for key, value in {path}.items()}}")
        if edit is not None:
            yield _proposal(f"write into copies of what `{path}` holds", [edit])


def _one_by_one(context: Context, source: ast.expr, copy: Edit | None, listed: ast.expr) -> Iterator[Proposal]:
    """Items taken by index are views that may be written, where those of an iterator, or of `unbind`, may not."""
    text = context.text.segment(source)
    index = context.fresh_name("index")
    edits = [context.replace(listed, f"[{text}[{index}] for {index} in range(len({text}))]")]
    if copy is not None:
        edits.insert(0, copy)
    yield _proposal(f"take the items of `{text}` one by one", edits, "the items are written in place as before")


def _unbound(context: Context, source: ast.expr) -> ast.expr:
    """`x` for `x.unbind(0)` and `torch.unbind(x)`: its items are those of x."""
    if not isinstance(source, ast.Call) or last_name(source.func) != "unbind":
        return source
    function = context.tree.dotted(source.func) == "torch.unbind"
    given = [*source.args, *(keyword.value for keyword in source.keywords)]
    if not function and isinstance(source.func, ast.Attribute):
        given.insert(0, source.func.value)
    along_first = all(isinstance(dim, ast.Constant) and dim.value == 0 for dim in given[1:])
    return given[0] if given and along_first else source


def _sources(target: ast.expr, iterable: ast.expr, name: str) -> Iterator[ast.expr]:
    """What gives the values of a name in `for target in iterable`."""
    called = iterable.func.id if isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Name) else ""
    if isinstance(target, ast.Tuple) and isinstance(iterable, ast.Call):
        if called == "zip" and len(target.elts) == len(iterable.args):
            for own, given in zip(target.elts, iterable.args, strict=True):
                if name in stored_by(own):
                    yield from _sources(own, given, name)
        elif called == "enumerate" and len(target.elts) == 2 and iterable.args:
            yield from _sources(target.elts[1], iterable.args[0], name)
        elif isinstance(iterable.func, ast.Attribute) and iterable.func.attr == "items":
            yield iterable
    elif isinstance(target, ast.Name):
        yield iterable


def _before(context: Context, statement: ast.stmt, path: str) -> Iterator[Proposal]:
    edit = _line_before(context, statement, f"{path} = {path}.clone()")
    if edit is not None and context.tree.home(path, context.tree.scope(statement)) is context.tree.scope(statement):
        yield _proposal(f"write into a copy of `{path}`", [edit])


def _line_before(context: Context, statement: ast.stmt, line: str) -> Edit | None:
    """None where a copy would have no history."""
    if is_unrecorded(context.tree, statement) and context.code not in _WITHOUT_GRADIENT:
        return None
    if context.text.indentation(context.text.span(statement)[0]) is None:
        return None
    return context.before(statement, line)


def of_lookalikes(context: Context, node: ast.AST) -> Iterator[Proposal]:
    """A copy of what looks like one: `p.detach()`, `p.data`, `p.grad`, `net.state_dict()`, `torch.from_numpy(a)`."""
    parts = [part for part in sharers(context) if looks_like_copy(context, part)]
    for part in parts:
        same = [other for other in parts if context.text.segment(other) == context.text.segment(part)]
        if part is same[0] and (edits := [edit for other in same for edit in copied(context, other)]):
            yield _kept(context, part, edits)


def of_kept(context: Context, node: ast.AST) -> Iterator[Proposal]:
    """A copy where the file keeps what it should have copied: an alias, a view, `xs.append(q)`, `a = b = zeros(3)`."""
    yield from of_lookalikes(context, node)
    for part in sharers(context):
        if edits := copied(context, part):
            yield _kept(context, part, edits)
    for statement in context.tree.parents:
        if isinstance(statement, ast.Assign) and len(statement.targets) > 1:
            yield from _chained(context, statement)
    root = written_root(node)
    places = list(_kept_names(context))
    if root is not None:
        scope = context.tree.scope(node)
        owner = context.tree.owner(scope) if isinstance(root, ast.Attribute) else None
        own = [
            p
            for p in places
            if path_of(p) == path_of(root)
            and (context.tree.scope(p) is scope or (owner and context.tree.owner(context.tree.scope(p)) is owner))
        ]
        if own:
            edits = [edit for place in own for edit in copied(context, place)]
            yield _proposal(f"keep copies of `{path_of(root)}`", edits, _KEPT_COPY)
    for place in places:
        yield _kept(context, place, copied(context, place))


def _kept(context: Context, part: ast.expr, edits: list[Edit]) -> Proposal:
    return _proposal(f"keep a copy of `{short(context.text.segment(part))}` on line {part.lineno}", edits, _KEPT_COPY)


def _kept_names(context: Context) -> Iterator[ast.expr]:
    """Names and attributes whose tensor is put into something that lives on, or handed out."""
    for node, parent in context.tree.parents.items():
        if not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load) or not path_of(node):
            continue
        if context.tree.dotted(node) or is_alias(context, node):
            continue
        if isinstance(parent, ast.Call):
            called = parent.func
            name = called.attr if isinstance(called, ast.Attribute) else path_of(called)
            if node in parent.args and (name in _KEEPING or name in context.tree.classes or name == "Parameter"):
                yield node
        elif isinstance(
            parent, ast.Return | ast.Yield | ast.List | ast.Tuple | ast.Dict | ast.ListComp | ast.DictComp
        ) or (isinstance(parent, ast.Assign) and not isinstance(parent.targets[0], ast.Tuple)):
            yield node


def _chained(context: Context, statement: ast.Assign) -> Iterator[Proposal]:
    """`a = b = torch.zeros(3)` -> two tensors."""
    names = [path_of(target) for target in statement.targets]
    if not all(names) or not isinstance(statement.value, ast.Call):
        return
    start, end = context.text.span(statement)
    indentation = context.text.indentation(start)
    value = context.text.segment(statement.value)
    if indentation is None or context.text.text[end : end + 1] == ";" or not context.text.text[:end].endswith(value):
        return
    line_end = context.text.line_end(start)
    new = f"{line_end}{indentation}".join(f"{name} = {value}" for name in names)
    yield _proposal(
        f"give {' and '.join(f'`{name}`' for name in names)} a tensor each", [context.replace(statement, new)]
    )


def of_statistics(context: Context, node: ast.AST) -> Iterator[Proposal]:
    """The running statistics of a batch norm -> new buffers, which the call updates."""
    op = context.finding.write.op or ""
    if not isinstance(node, ast.Call) or not (op.endswith("(running statistics)") or op == "batch_norm"):
        return
    statement = context.tree.statement(node)
    if context.tree.dotted(node.func):
        paths = [path for part in node.args[1:3] if (path := path_of(part)).startswith("self.")]
    else:
        module = path_of(node.func)
        paths = [f"{module}.running_mean", f"{module}.running_var"] if module else []
    if paths and context.text.indentation(context.text.span(statement)[0]) is not None:
        edit = context.before(statement, *[f"{path} = {path}.clone()" for path in paths])
        yield _proposal("update copies of the running statistics", [edit])


def of_swapped(context: Context, node: ast.AST) -> Iterator[Proposal]:
    """`x[i], x[j] = x[j], x[i]` -> the values are copies."""
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple) and isinstance(node.targets[0], ast.Tuple):
        edits = [edit for value in node.value.elts for edit in copied(context, value)]
        yield _proposal("swap copies", edits)


def _proposal(description: str, edits: list[Edit], doubt: str = _NEW_COPY) -> Proposal:
    return Proposal(description, tuple(edits), Verdict.doubt(doubt))
