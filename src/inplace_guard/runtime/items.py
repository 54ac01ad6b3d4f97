"""What a written name stands for: an item of a container, taken by a subscript or by a loop."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from inplace_guard.runtime.capture import Place, written_node
from inplace_guard.runtime.syntax import file_syntax

__all__ = ["Item", "is_item", "item_named", "written_name"]

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.Module)
_DISPLAYS = (ast.List, ast.Tuple, ast.Dict, ast.ListComp, ast.DictComp)
_BUILT_BY = {"list", "dict", "OrderedDict", "defaultdict", "deque"}
_OF_DICTS = {"items", "keys", "values"}
_SAME_ITEMS = {"list", "tuple", "reversed", "sorted", "iter"}


@dataclass(frozen=True, slots=True)
class Item:
    """What a name was taken from; binding the name anew puts nothing into the container."""

    container: str
    home: str | None  # `fast[k]`, if the loop knows the key
    again: str | None  # `hs = [{} for h in hs]`, if the loop does nothing but write
    read_later: bool  # in the same turn of the loop


def written_name(place: Place, func: Any = None) -> str | None:
    """What a person calls the tensor written there: `h`, `self.h`; `fast["w"]` for an item of a dict or list."""
    found = written_node(place, func)
    if found is None:
        return None
    node, text = found
    while isinstance(node, ast.Subscript) and not is_item(place, node):
        node = node.value
    if not isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        return None
    return ast.get_source_segment(text, node) or ast.unparse(node)


def is_item(place: Place, node: ast.Subscript, settable: bool = False) -> bool:
    """Whether this subscript takes an item out of a container (`settable`: no tuple), and is not a view of a tensor."""
    if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        return True
    if not isinstance(node.value, (ast.Name, ast.Attribute)) or isinstance(node.slice, (ast.Slice, ast.Tuple)):
        return False
    # an attribute may be set in any method
    scope = _around(place)[1] if isinstance(node.value, ast.Name) else file_syntax(place.code.co_filename)
    owner = ast.unparse(node.value)
    return any(_shows_container(inner, owner, settable) for inner in ast.walk(scope)) if scope is not None else False


def item_named(place: Place, name: str) -> Item | None:
    """The item that this name was bound to last before the write: by a loop, or by `name = container[…]`."""
    above, scope = _around(place)
    if scope is None or not above:
        return None
    statement = above[-1]
    loops = [node for node in above[:-1] if isinstance(node, (ast.For, ast.AsyncFor)) and _binds(node.target, name)]
    bound = _bound_last(scope, name, statement.lineno)
    if loops and (bound is None or bound.lineno <= loops[-1].lineno):
        return _of_loop(loops[-1], name, statement)
    if not isinstance(bound, ast.Assign) or not isinstance(bound.value, ast.Subscript):
        return None
    if (
        len(bound.targets) > 1
        or not isinstance(bound.targets[0], ast.Name)
        or not is_item(place, bound.value, settable=True)
    ):
        return None
    later = _reads_after(scope, name, statement)
    return Item(ast.unparse(bound.value.value), ast.unparse(bound.value), None, later)


def _bound_last(scope: ast.AST, name: str, before: int) -> ast.stmt | None:
    """An augmented assignment keeps the tensor, so it is no binding."""
    found: ast.stmt | None = None
    for node in ast.walk(scope):
        if not isinstance(node, ast.stmt) or isinstance(node, ast.AugAssign) or node.lineno >= before:
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if isinstance(node, (ast.With, ast.AsyncWith)):
            targets = [item.optional_vars for item in node.items]
        if any(target is not None and _binds(target, name) for target in targets):
            found = node if found is None or node.lineno >= found.lineno else found
    return found


def _reads_after(part: ast.AST, name: str, statement: ast.stmt) -> bool:
    end = statement.end_lineno or statement.lineno
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load) and node.lineno > end
        for node in ast.walk(part)
    )


def _of_loop(loop: ast.For | ast.AsyncFor, name: str, statement: ast.stmt) -> Item | None:
    container, home = _taken(loop.target, loop.iter, name)
    container = container or ast.unparse(loop.iter)
    stays = all(part.isidentifier() for part in container.split("."))
    later = _reads_after(loop, name, statement)
    if later and not stays:
        return None  # made for the loop alone: nobody else has the item
    return Item(container, home, _built_anew(loop, container) if loop.body == [statement] and stays else None, later)


def _around(place: Place) -> tuple[list[ast.stmt], ast.AST | None]:
    """The statement that ran there, last, after those around it in its function; and the function or module."""
    tree = file_syntax(place.code.co_filename)
    if tree is None:
        return [], None
    line, above = place.line, list[ast.stmt]()
    scope: ast.AST = tree
    node: ast.AST = tree
    while True:
        children = list(ast.iter_child_nodes(node))
        children += [inner for child in children if isinstance(child, ast.match_case) for inner in child.body]
        inner = [
            child
            for child in children
            if isinstance(child, (ast.stmt, ast.ExceptHandler)) and child.lineno <= line <= (child.end_lineno or line)
        ]
        if not inner:
            return above, scope
        node = inner[0]
        if isinstance(node, _SCOPES):
            scope, above = node, []
        elif isinstance(node, ast.stmt):
            above.append(node)


def _shows_container(node: ast.AST, owner: str, settable: bool) -> bool:
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        value = node.value
        if settable and isinstance(value, ast.Tuple):
            return False
        built = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in _BUILT_BY
        return (built or isinstance(value, _DISPLAYS)) and any(
            isinstance(target, (ast.Name, ast.Attribute)) and ast.unparse(target) == owner for target in targets
        )
    return isinstance(node, ast.Attribute) and node.attr in _OF_DICTS | {"append"} and ast.unparse(node.value) == owner


def _binds(target: ast.expr, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(target))


def _taken(target: ast.expr, source: ast.expr, name: str) -> tuple[str | None, str | None]:
    """The container that the loop takes the name from, and the place of the item in it."""
    parts = target.elts if isinstance(target, ast.Tuple) else []
    if isinstance(source, ast.Call) and isinstance(source.func, ast.Name):
        called, arguments = source.func.id, source.args
        if called == "zip" and len(parts) == len(arguments):
            for part, argument in zip(parts, arguments, strict=True):
                if _binds(part, name):
                    return _taken(part, argument, name)
        if called == "enumerate" and len(parts) == 2 and arguments:
            container, home = _taken(parts[1], arguments[0], name)
            plain = isinstance(parts[1], ast.Name) and isinstance(arguments[0], (ast.Name, ast.Attribute))
            from_zero = len(arguments) == 1 and not source.keywords
            return container, f"{container}[{ast.unparse(parts[0])}]" if plain and from_zero else home
        if called in _SAME_ITEMS and arguments:
            return _taken(target, arguments[0], name)
    if isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute) and source.func.attr in _OF_DICTS:
        container = ast.unparse(source.func.value)
        if source.func.attr == "items" and len(parts) == 2 and isinstance(parts[1], ast.Name):
            return container, f"{container}[{ast.unparse(parts[0])}]" if parts[1].id == name else None
        return container, None
    return (ast.unparse(source), None) if isinstance(target, ast.Name) else (None, None)


def _built_anew(loop: ast.For | ast.AsyncFor, container: str) -> str | None:
    """The loop as a comprehension, with `{}` for the new value."""
    source = loop.iter
    if isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute) and source.func.attr == "values":
        if not isinstance(loop.target, ast.Name):
            return None
        key = "k" if loop.target.id != "k" else "key"
        return f"{container} = {{{{{key}: {{}} for {key}, {loop.target.id} in {container}.items()}}}}"
    dicts = any(isinstance(node, ast.Attribute) and node.attr in _OF_DICTS for node in ast.walk(source))
    reordered = any(isinstance(node, ast.Name) and node.id in ("reversed", "sorted") for node in ast.walk(source))
    if dicts or reordered or isinstance(loop, ast.AsyncFor):
        return None
    parts = loop.target.elts if isinstance(loop.target, ast.Tuple) and len(loop.target.elts) > 1 else [loop.target]
    text = f"for {', '.join(ast.unparse(part) for part in parts)} in {ast.unparse(source)}"
    text = text.replace("{", "{{").replace("}", "}}")
    return f"{container} = [{{}} {text}]"
