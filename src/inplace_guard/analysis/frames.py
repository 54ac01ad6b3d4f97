"""Running functions, and the top levels of files."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from inplace_guard.analysis.heap import Heap
from inplace_guard.analysis.values import Value

if TYPE_CHECKING:
    from inplace_guard.analysis.classes import ClassInfo
    from inplace_guard.analysis.scope import Scope
    from inplace_guard.analysis.tape import Place

State = tuple[Heap, dict[str, Value]]


class Bound(Exception):
    """A budget was spent; the entry is given up and what was found so far stays."""


class Frame:
    """One running function, or (func None) the top level of a file. `parent` is the frame it closes over, `top` the top
    level of its file, `scope`; `via` is, in a file that is not the analysed one, the call in another that led here."""

    __slots__ = (
        "breaks", "cls", "continues", "func", "given", "locals", "looped", "on_yield", "parent", "returns", "scope",
        "top", "via", "yields",
    )  # fmt: skip

    top: Frame
    scope: Scope

    def __init__(self, func: ast.AST | None, parent: Frame, cls: ClassInfo | None = None) -> None:
        self.func = func
        self.parent: Frame | None = parent
        self.top = parent.top
        self.scope = parent.scope
        self.via: Place | None = None
        self.cls = cls
        self.locals: dict[str, Value] = {}
        self.looped: set[str] = set()  # the names that a loop has bound
        self.given: frozenset[int] = frozenset()  # the memory of its arguments, if a rule asks for it
        self.returns: list[tuple[State, Value]] = []
        self.yields: list[Value] | None = None
        self.on_yield: Callable[[Value], Value] | None = None
        self.breaks: list[State] = []
        self.continues: list[State] = []


class Top(Frame):
    """The top level of a file."""

    __slots__ = ()

    def __init__(self, scope: Scope) -> None:
        self.top = self
        self.scope = scope
        super().__init__(None, self)
        self.parent = None
