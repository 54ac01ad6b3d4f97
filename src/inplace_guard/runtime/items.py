"""What a written name stands for: an item of a container, or the variable of a loop over one."""

from __future__ import annotations

import ast
import linecache
from dataclasses import dataclass
from typing import Any

from inplace_guard.runtime.capture import Place, written_node

__all__ = ["Item", "is_item", "loop_item", "written_name"]

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.Module)
_DISPLAYS = (ast.List, ast.Tuple, ast.Dict, ast.ListComp, ast.DictComp)
_BUILT_BY = {"list", "dict", "tuple", "OrderedDict", "defaultdict", "deque"}
_OF_DICTS = {"items", "keys", "values"}
_SAME_ITEMS = {"list", "tuple", "reversed", "sorted", "iter"}


@dataclass(frozen=True, slots=True)
class Item:
    """The variable of a loop; binding it anew puts nothing into the container."""

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


def is_item(place: Place, node: ast.Subscript) -> bool:
    """Whether this subscript takes an item out of a container, and is not a view of a tensor."""
    if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        return True
    if not isinstance(node.value, ast.Name) or isinstance(node.slice, (ast.Slice, ast.Tuple)):
        return False
    name, (_, scope) = node.value.id, _around(place)
    return any(_shows_container(inner, name) for inner in ast.walk(scope)) if scope is not None else False


def loop_item(place: Place, name: str) -> Item | None:
    """What the loop around the write takes this name from, unless the name is bound anew before the write."""
    above, scope = _around(place)
    if scope is None or not above:
        return None
    statement = above[-1]
    for loop in reversed(above[:-1]):
        if not isinstance(loop, (ast.For, ast.AsyncFor)) or not _binds(loop.target, name):
            continue
        inside = [node for part in loop.body for node in ast.walk(part)]
        names = [node for node in inside if isinstance(node, ast.Name) and node.id == name]
        augmented = {id(node.target) for node in inside if isinstance(node, ast.AugAssign)}
        if any(
            isinstance(node.ctx, ast.Store) and id(node) not in augmented and node.lineno < statement.lineno
            for node in names
        ):
            return None
        container, home = _taken(loop.target, loop.iter, name)
        again = None
        if loop.body == [statement] and container is not None and container.isidentifier():
            again = _built_anew(loop, container)
        end = statement.end_lineno or statement.lineno
        later = any(node.lineno > end and isinstance(node.ctx, ast.Load) for node in names)
        return Item(container or ast.unparse(loop.iter), home, again, later)
    return None


def _around(place: Place) -> tuple[list[ast.stmt], ast.AST | None]:
    """The statement that ran there, last, after those around it in its function; and the function or module."""
    try:
        tree: ast.AST = ast.parse("".join(linecache.getlines(place.code.co_filename)))
    except (SyntaxError, ValueError):
        return [], None
    line, scope, above, node = place.line, tree, list[ast.stmt](), tree
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


def _shows_container(node: ast.AST, name: str) -> bool:
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        value = node.value
        built = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in _BUILT_BY
        return (built or isinstance(value, _DISPLAYS)) and any(
            isinstance(target, ast.Name) and target.id == name for target in targets
        )
    return (
        isinstance(node, ast.Attribute)
        and node.attr in _OF_DICTS | {"append"}
        and isinstance(node.value, ast.Name)
        and node.value.id == name
    )


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
