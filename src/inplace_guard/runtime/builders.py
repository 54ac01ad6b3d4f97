"""Where an in-place module was built: the line to change, when it runs inside a Sequential or another container."""

from __future__ import annotations

import ast
import inspect
import linecache
from typing import Any

import torch

from inplace_guard.findings import Site
from inplace_guard.runtime.syntax import file_syntax

__all__ = ["built_at"]


def built_at(module: torch.nn.Module, parents: list[tuple[Any, str]]) -> Site | None:
    """`parents` lists the holders of the module, innermost first, each with the name that it holds the next by.

    Read from the source of the nearest class of the user's own; None unless exactly one call there can have built it.
    """
    if not getattr(module, "inplace", False):
        return None
    inner: list[str] = []
    for holder, name in parents:
        if type(holder).__module__.startswith("torch."):
            inner.insert(0, name)
            continue
        return _in_class(type(holder), name, inner, type(module).__name__, module)
    return None


def _in_class(owner: type, attribute: str, inner: list[str], built: str, module: torch.nn.Module) -> Site | None:
    code = next((value.__code__ for value in vars(owner).values() if inspect.isfunction(value)), None)
    if code is None:
        return None
    path = code.co_filename
    whole = file_syntax(path)
    if whole is None:
        return None
    tree = next(
        (
            node
            for node in ast.walk(whole)
            if isinstance(node, ast.ClassDef)
            and node.name == owner.__name__
            and node.lineno <= code.co_firstlineno <= (node.end_lineno or node.lineno)
        ),
        None,
    )
    if tree is None:
        return None
    assigned = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and any(_is_own_attribute(target, attribute) for target in node.targets)
    ]
    for value in assigned:
        at: ast.AST | None = value
        for name in inner:
            at = _argument(at, name)
        if at is not None and _builds(at, built):
            return _site(path, at, module)
    candidates = [node for value in assigned for node in ast.walk(value) if _builds(node, built)]
    if not candidates:
        candidates = [node for node in ast.walk(tree) if _builds(node, built)]
    if len(candidates) != 1:
        return None
    return _site(path, candidates[0], module)


def _is_own_attribute(target: ast.AST, name: str) -> bool:
    return (
        isinstance(target, ast.Attribute)
        and target.attr == name
        and isinstance(target.value, ast.Name)
        and target.value.id == "self"
    )


def _argument(node: ast.AST | None, name: str) -> ast.AST | None:
    """What a Sequential built by this call holds under that index."""
    if not isinstance(node, ast.Call) or not name.isdigit() or any(isinstance(arg, ast.Starred) for arg in node.args):
        return None
    arguments: list[ast.expr] = list(node.args)
    if len(arguments) == 1 and isinstance(arguments[0], (ast.List, ast.Tuple)):
        arguments = arguments[0].elts
    return arguments[int(name)] if int(name) < len(arguments) else None


def _builds(node: ast.AST, name: str) -> bool:
    if not isinstance(node, ast.Call):
        return False
    function = node.func
    called = (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )
    if called != name:
        return False
    given = [keyword.value for keyword in node.keywords if keyword.arg == "inplace"] + list(node.args)
    return any(isinstance(value, ast.Constant) and value.value is True for value in given)


def _site(path: str, node: ast.AST, module: torch.nn.Module) -> Site:
    line: int = node.lineno  # type: ignore[attr-defined]
    text = linecache.getline(path, line)
    source = ast.unparse(node)
    column = text.find(source.split("(")[0]) + 1
    return Site(path, line, max(column, 0), op=f"{type(module).__name__}(inplace=True)", source=text.strip() or None)
