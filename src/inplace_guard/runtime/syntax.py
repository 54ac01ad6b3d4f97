"""The program's own text as a syntax tree."""

from __future__ import annotations

import ast
import gc
import linecache
import threading

__all__ = ["file_syntax", "syntax"]

_ONE_AT_A_TIME = threading.RLock()  # a finalizer may come here while a tree is made


def syntax(text: str) -> ast.Module | None:
    """The tree; None for what Python does not parse."""
    with _ONE_AT_A_TIME:
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            return None
        except SystemError:
            return _undisturbed(text)


def file_syntax(path: str) -> ast.Module | None:
    """The tree of this file, as `linecache` has it."""
    return syntax("".join(linecache.getlines(path)))


def _undisturbed(text: str) -> ast.Module:
    """The tree again, with no other thread in between.

    "AST constructor recursion depth mismatch": CPython (seen on 3.11.7) counts the depth in one place for all threads,
    and a collection of garbage in the midst of the tree, where it runs Python code, lets another thread parse.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(text)
    finally:
        if collects:
            gc.enable()
