"""`h.add_(x)` -> `h = h + x`, `x.sub_(m).div_(s)` -> `x = x.sub(m).div(s)`, `f(x.relu_())` -> `f(x.relu())`."""

from __future__ import annotations

import ast

from inplace_guard import ops
from inplace_guard.fixes import items
from inplace_guard.fixes.context import Context, Proposal
from inplace_guard.fixes.dtypes import judge_dtype
from inplace_guard.fixes.judge import Write
from inplace_guard.fixes.rewrite import rename_methods, sum_of
from inplace_guard.fixes.text import Edit, Unfixable
from inplace_guard.fixes.tree import has_effects, names_in, path_of, root_of
from inplace_guard.fixes.twins import method_twin, writes_itself
from inplace_guard.fixes.verdict import SAFE

__all__ = ["propose"]


def propose(context: Context, node: ast.Call) -> Proposal:
    """`node` is the in-place call, or another one of its chain. Raises Unfixable."""
    chain = _chain(context, node)
    writing = [depth for depth, call in enumerate(chain) if writes_itself(_name(call))]
    if not writing:
        raise Unfixable(f"`{_name(node)}` has no out-of-place form")
    chain = chain[: writing[-1] + 1]
    if any(isinstance(argument, ast.Starred) for call in chain for argument in call.args) or any(
        keyword.arg is None for call in chain for keyword in call.keywords
    ):
        raise Unfixable("its arguments are given as *args or **kwargs")
    written = chain[-1].func.value  # type: ignore[attr-defined]
    statement = context.tree.statement(node)
    if isinstance(statement, ast.Expr) and statement.value is chain[0]:
        return _statement(context, chain, writing, written, statement)
    return _value(context, chain, writing, written, statement)


def _statement(
    context: Context, chain: list[ast.Call], writing: list[int], written: ast.expr, statement: ast.Expr
) -> Proposal:
    """The value is not used: whoever reads the tensor's name is to get the new one."""
    if len(writing) != len(chain):
        raise Unfixable("the chain of calls does not end with the tensor that it writes")
    scope = context.tree.scope(statement)
    element = isinstance(written, ast.Subscript) and context.program.kinds.is_container(written.value, scope)
    path = path_of(written.value if isinstance(written, ast.Subscript) and element else written)
    direct = bool(path) and not has_effects(written) and not _is_view_attribute(written)
    after = _after_the_first(chain, writing)
    if not direct or not all(method_twin(_name(call)) for call in chain):
        if isinstance(root := root_of(written), ast.Name) and root.id in {
            n.partition(".")[0] for n in names_in(*after)
        }:
            raise Unfixable(f"`{root.id}` is read between two writes")
        return items.copy_first(context, written, statement, _operands(chain))
    target = context.text.segment(written)
    call = context.text.segment(chain[0])
    dtype = judge_dtype(context, written, _operands(chain), statement)
    cast = f".to({target}.dtype)" if dtype != SAFE else ""
    if _is_plain_add(context, chain):
        new = sum_of(target, call)
        new = f"({new}){cast}" if cast else new
    elif path in names_in(*after):  # `h.mul_(2).add_(h)` adds what is new
        new = _one_by_one(context, chain, target, cast)
        dtype = SAFE
    else:
        new = rename_methods(call, writing, method_twin) + cast
    write = Write(context.code, statement, written, path, element, after)
    return context.propose(
        f"give `{target}` a new tensor instead of writing into the old one",
        context.assign(target, statement, new),
        write,
        dtype if len(writing) > 1 else SAFE,  # one write after the other rounds in between
    )


def _value(
    context: Context, chain: list[ast.Call], writing: list[int], written: ast.expr, statement: ast.stmt
) -> Proposal:
    """The value is used: the call gives a new tensor, and the name gets it too if it is read later."""
    call = chain[0]
    path = path_of(written)
    twins = all(method_twin(_name(chain[depth])) for depth in writing)
    dtype = judge_dtype(context, written, _operands(chain), statement)
    edits: list[Edit] = []
    if twins:
        new = rename_methods(context.text.segment(call), writing, method_twin)
        if dtype != SAFE and path and len(writing) == 1:
            new, dtype = f"{new}.to({path}.dtype)", SAFE
        edits.append(context.replace(call, new))
    else:
        end = context.text.span(written)[1]
        if context.text.text[end : end + 1] == ")":
            raise Unfixable("it is called on an expression in brackets")
        edits.append(Edit(end, end, ".clone()"))
    name = path or context.text.segment(written)
    description = f"make a new tensor instead of writing into `{name}`"
    target = context.also_rebound(path, call)
    if target:
        start = context.text.span(call)[0]
        if len(writing) != len(chain) or context.text.text[start - 1 : start] == "(":
            raise Unfixable(f"`{path}` is read afterwards, and would have to get the new tensor as well")
        edits.append(Edit(start, start, f"{path} = "))
        description = f"give `{path}` a new tensor as well instead of writing into the old one"
    after = _after_the_first(chain, writing)
    if path and path in names_in(*after):
        raise Unfixable(f"`{path}` is read between two writes")
    write = Write(context.code, call, written, target, then=after)
    return context.propose(description, _merged(edits), write, dtype if twins else SAFE)


def _one_by_one(context: Context, chain: list[ast.Call], target: str, cast: str) -> str:
    """`h.mul(2); h = h.add(h)`: a statement for each write, on lines of their own where the first one has one."""
    found: list[str] = []
    for call in reversed(chain):
        start, end = context.text.span(call.func.value)[1], context.text.span(call)[1]  # type: ignore[attr-defined]
        link = context.text.text[start:end]
        if not link.lstrip().startswith(".") or "\n" in link:
            raise Unfixable("it is read between two writes of a chain in brackets")
        found.append(rename_methods(f"{target}{link}", [0], method_twin) + cast)
    start, _ = context.text.span(context.tree.statement(chain[0]))
    if start != context.text.span(chain[0])[0]:
        raise Unfixable("it is read between two writes of a chain in brackets")
    indentation = context.text.indentation(start)
    between = "; " if indentation is None else f"{context.text.line_end(start)}{indentation}"
    return f"{between}{target} = ".join(found)


def _after_the_first(chain: list[ast.Call], writing: list[int]) -> tuple[ast.expr, ...]:
    """The arguments that are evaluated when something has been written already."""
    return tuple(_operands(chain[: writing[-1]]))


def _merged(edits: list[Edit]) -> list[Edit]:
    """Edits that start at one place become one."""
    found: dict[int, Edit] = {}
    for edit in reversed(edits):
        other = found.get(edit.start)
        found[edit.start] = (
            edit if other is None else Edit(edit.start, max(edit.end, other.end), other.content + edit.content)
        )
    return list(found.values())


def _chain(context: Context, node: ast.Call) -> list[ast.Call]:
    """The calls of tensor methods made one on the result of the other, outermost first."""
    outer = node
    while True:
        attribute = context.tree.parents.get(outer)
        call = context.tree.parents.get(attribute) if isinstance(attribute, ast.Attribute) else None
        if not isinstance(call, ast.Call) or call.func is not attribute or not ops.method(_name(call)):
            break
        outer = call
    chain: list[ast.Call] = []
    at: ast.expr = outer
    while isinstance(at, ast.Call) and isinstance(at.func, ast.Attribute) and not context.tree.dotted(at.func):
        if not ops.method(at.func.attr) or path_of(at.func.value) in ("self", "cls"):
            break
        chain.append(at)
        at = at.func.value
    if not chain:
        raise Unfixable("it is not a method of a tensor")
    return chain


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _is_view_attribute(node: ast.expr) -> bool:
    fact = ops.attribute(node.attr) if isinstance(node, ast.Attribute) else None
    return fact is not None


def _operands(chain: list[ast.Call]) -> list[ast.expr]:
    return [argument for call in chain for argument in (*call.args, *(keyword.value for keyword in call.keywords))]


def _is_plain_add(context: Context, chain: list[ast.Call]) -> bool:
    """`h.add_(x)` on its own, with nothing else in its brackets."""
    if len(chain) != 1 or _name(chain[0]) != "add_" or len(chain[0].args) != 1 or chain[0].keywords:
        return False
    start, end = context.text.span(chain[0].args[0])
    before = context.text.text[context.text.span(chain[0].func)[1] : start]
    after = context.text.text[end : context.text.span(chain[0])[1]]
    return not any(character in before + after for character in "#\r\n\\")
