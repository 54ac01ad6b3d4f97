"""Where a call came from: a few (code, instruction) pairs when it happens, a `Site` when a report needs one."""

from __future__ import annotations

import ast
import dis
import linecache
import os
import sys
import sysconfig
from itertools import islice
from types import CodeType, FrameType
from typing import Any, NamedTuple

import torch

from inplace_guard.findings import Site
from inplace_guard.runtime.syntax import syntax

__all__ = [
    "FILES",
    "Place",
    "Stack",
    "chain",
    "column_range",
    "expression",
    "here",
    "is_internal",
    "is_library",
    "site",
    "target",
    "written_node",
]

_TORCH = os.path.join(os.path.dirname(torch.__file__), "")
_OWN = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")
_CONTEXTLIB = os.path.join(sysconfig.get_path("stdlib"), "contextlib.py")
_LIBRARIES = tuple(
    {os.path.join(sysconfig.get_path(name), "") for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)
_TYPED_NAMES = ("<stdin>", "<string>", "<ipython-input", "<doctest ", "<python-input")
_DEPTH = 40
_BEYOND = 3
Stack = tuple[tuple[CodeType, int], ...]  # as `Place`s, but cheaper to make


class _Files(dict[str, bool]):
    """File name -> is its code torch's own, ours, or generated (True), or a place that a report may name (False)."""

    def __missing__(self, name: str) -> bool:
        internal = self[name] = is_internal(name)
        return internal


def is_internal(name: str) -> bool:
    if name.startswith("<"):
        return not name.startswith(_TYPED_NAMES)
    return name.startswith((_TORCH, _OWN)) or name == _CONTEXTLIB


def is_library(name: str) -> bool:
    """Installed code, as against the user's own."""
    return name.startswith(_LIBRARIES) or name.startswith(_TORCH)


class _Libraries(dict[str, bool]):
    def __missing__(self, name: str) -> bool:
        library = self[name] = is_library(name)
        return library


FILES = _Files()
_LIBRARY = _Libraries()


class Place(NamedTuple):
    """One frame: where its code stood."""

    code: CodeType
    lasti: int

    @property
    def line(self) -> int:
        return column_range(self)[0]


def here(frame: FrameType | None) -> Place | None:
    """The innermost place that is neither torch's nor ours."""
    last = None
    while frame is not None:
        code = frame.f_code
        if not FILES[code.co_filename]:
            return Place(code, frame.f_lasti)
        last = frame
        frame = frame.f_back
    return Place(last.f_code, last.f_lasti) if last is not None else None


def chain(frame: FrameType | None) -> Stack:
    """The frames from this one outwards, torch's own among them, until the user's own code and a little beyond."""
    places = []
    left = _DEPTH
    while frame is not None and left:
        code = frame.f_code
        places.append((code, frame.f_lasti))
        left -= 1
        if left > _BEYOND and not _LIBRARY[code.co_filename] and not FILES[code.co_filename]:
            left = _BEYOND
        frame = frame.f_back
    return tuple(places)


def column_range(place: Place) -> tuple[int, int, int, int]:
    """First line, last line, first column, end column (0-based, in bytes; -1 if not known)."""
    code, lasti = place
    if sys.version_info >= (3, 11):
        position = next(islice(code.co_positions(), max(lasti, 0) // 2, None), None)
        if position is not None and position[0] is not None:
            line, end_line, column, end_column = position
            return (
                line,
                end_line if end_line is not None else line,
                column if column is not None else -1,
                end_column if end_column is not None else -1,
            )
    line = code.co_firstlineno
    for start, number in dis.findlinestarts(code):
        if start > lasti:
            break
        if number is not None:
            line = number
    return line, line, -1, -1


def site(place: Place, op: str | None = None, module: str | None = None) -> Site:
    line, _, column, _ = column_range(place)
    path = place.code.co_filename
    text = linecache.getline(path, line)
    source = text.strip() or None
    if column >= 0 and text:
        shown = len(text.encode()[:column].decode(errors="replace")) + 1
    else:
        shown = len(text) - len(text.lstrip()) + 1 if text.strip() else 0
    return Site(path, line, shown, op=op, module=module, source=source)


def expression(place: Place) -> str | None:
    """The source of the expression or statement that ran there, if the interpreter keeps columns."""
    line, end_line, column, end_column = column_range(place)
    if column < 0 or end_column < 0:
        text = linecache.getline(place.code.co_filename, line).strip()
        return text or None
    lines = [linecache.getline(place.code.co_filename, number) for number in range(line, end_line + 1)]
    if not lines or not lines[0]:
        return None
    if len(lines) == 1:
        return lines[0].encode()[column:end_column].decode(errors="replace")
    lines[0] = lines[0].encode()[column:].decode(errors="replace")
    lines[-1] = lines[-1].encode()[:end_column].decode(errors="replace")
    return "".join(lines)


def target(place: Place, func: Any = None) -> str | None:
    """What a person calls the tensor that `func` wrote there: `h` for `h.add_(y)`, `h += y`, `h[i] = y`, `relu_(h)`."""
    node, _ = written_node(place, func) or (None, "")
    while isinstance(node, ast.Subscript):
        node = node.value
    return ast.unparse(node) if isinstance(node, (ast.Name, ast.Attribute)) else None


def written_node(place: Place, func: Any = None) -> tuple[ast.AST, str] | None:
    """The expression that `func` wrote there, and the text that it is parsed from."""
    text = (expression(place) or "").strip()
    tree = syntax(text)
    if tree is None or len(tree.body) != 1:
        return None
    node: ast.AST | None = tree.body[0]
    if isinstance(node, ast.AugAssign):
        node = node.target
    elif isinstance(node, ast.Assign):
        node = node.targets[0]
    elif isinstance(node, ast.Expr):
        node = node.value
    if isinstance(node, ast.Call):
        node = _written_by(node, func)
    return (node, text) if node is not None else None


def _written_by(call: ast.Call, func: Any) -> ast.AST | None:
    if out := next((keyword.value for keyword in call.keywords if keyword.arg == "out"), None):
        return out
    callee = call.func
    is_method = hasattr(func, "__objclass__") and isinstance(callee, ast.Attribute)
    if is_method and isinstance(callee, ast.Attribute) and callee.attr == getattr(func, "__name__", ""):
        return callee.value
    return call.args[0] if call.args else None
