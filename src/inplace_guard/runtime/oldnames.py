"""`y = f(x)` where f works in place and returns its argument, and `x` is read again as if it still held the old values.

Whether memory is shared is seen when it is written; whether the old name is read again stands in the source. A guess
about what was meant, so it is reported as likely and never raises.
"""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import CodeType, FrameType
from typing import Any

import torch

from inplace_guard.runtime.capture import FILES, Place, column_range, is_library
from inplace_guard.runtime.careful import careful
from inplace_guard.runtime.compat import quiet
from inplace_guard.runtime.journal import Write
from inplace_guard.runtime.memory import Region, overlap, region_of

__all__ = ["OldNames"]

_DEPTH = 16
# methods whose result may stand on the memory of the tensor
_MAY_ALIAS = {
    "float", "double", "half", "bfloat16", "to", "type", "type_as", "cpu", "contiguous", "flatten", "reshape", "view",
    "detach", "squeeze", "unsqueeze", "expand", "transpose", "permute", "t", "requires_grad_", "narrow", "select",
}  # fmt: skip
_METADATA = {
    "shape", "dtype", "device", "size", "dim", "ndim", "numel", "nelement", "requires_grad", "is_cuda", "stride",
    "layout", "is_contiguous", "is_floating_point", "grad_fn", "names", "type", "element_size", "is_leaf",
}  # fmt: skip
_LOOKS_ONLY = {"len", "isinstance", "type", "id", "hasattr"}
_SETTLED = {"relu", "relu_", "relu6", "clamp_", "hardtanh", "threshold", "abs_", "zero_", "fill_", "hardtanh_"}
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.Module


@dataclass(frozen=True, slots=True)
class _Given:
    """A local name that a call is given, and where it is read next; `again` if that is by the same call once more."""

    name: str
    line: int
    again: bool
    of: str = ""  # the name that it was taken from, by `name = of` or `name = of[…]`


class OldNames:
    """`found(kind, write, words)`: "old_name" of what a call was given, "second_name" of what was put aside."""

    def __init__(self, found: Callable[[str, Write, str], None]) -> None:
        self._found = found
        self._given: dict[tuple[CodeType, int], tuple[_Given, ...]] = {}
        self._sources: dict[str, _Source | None] = {}

    @careful
    def note(self, writes: Sequence[Write], frame: FrameType) -> None:
        if sys.version_info < (3, 11) or len(writes) != 1 or writes[0].region is None:
            return
        write = writes[0]
        current: FrameType | None = frame
        callee: FrameType | None = None  # the innermost function of the user's that the current frame called
        renames = False  # the write is `new = old.op_()`
        for _ in range(_DEPTH):
            if current is None:
                return
            code = current.f_code
            if not FILES[code.co_filename]:
                if is_library(code.co_filename):
                    return
                given = self._given_at(code, current.f_lasti)
                if given and (callee is None or renames or self._returns_alias(callee, write.region)):
                    for entry in given:
                        if self._is_read_again(entry, current, write):
                            return
                if callee is None:
                    source = self._source(code.co_filename)
                    if source is None:
                        return
                    place = Place(code, current.f_lasti)
                    renames = source.renames(place)
                    for entry in source.second_names(place):
                        if self._is_second_name(entry, current, write):
                            return
                callee = current
            current = current.f_back

    def bound_by_call(self, write: Write) -> bool:
        """Whether the local name that is written there was bound to what a call returned, as if that were new."""
        source = self._source(write.place.code.co_filename) if sys.version_info >= (3, 11) else None
        return source is not None and source.bound_by_call(write.place)

    def _is_read_again(self, given: _Given, frame: FrameType, write: Write) -> bool:
        settled = given.again and getattr(write.func, "__name__", "") in _SETTLED
        value = frame.f_locals.get(given.name)
        assert write.region is not None
        if settled or not _shares(value, write.region):
            return False
        name = frame.f_code.co_filename.replace("\\", "/").rsplit("/", 1)[-1]
        kind = "second_name" if given.of else "old_name"
        self._found(
            kind,
            write,
            f"`{given.name}` in place, which is read again at {name}:{given.line} as if it held the old values",
        )
        return True

    def _is_second_name(self, given: _Given, frame: FrameType, write: Write) -> bool:
        """`saved = x[a:b]` or `saved = x`, then `x[a:b] = …`: what was put aside is overwritten with it."""
        value, original = frame.f_locals.get(given.name), frame.f_locals.get(given.of)
        if not isinstance(value, torch.Tensor) or not isinstance(original, torch.Tensor):
            return False
        with quiet():
            if value is not original and region_of(value) != write.region:
                return False
        return self._is_read_again(given, frame, write)

    def _given_at(self, code: CodeType, lasti: int) -> tuple[_Given, ...]:
        key = (code, lasti)
        known = self._given.get(key)
        if known is None:
            source = self._source(code.co_filename)
            known = self._given[key] = tuple(source.given(Place(code, lasti))) if source is not None else ()
        return known

    def _source(self, path: str) -> _Source | None:
        if path not in self._sources:
            try:
                self._sources[path] = _Source(ast.parse("".join(linecache.getlines(path))))
            except (SyntaxError, ValueError, RecursionError):
                self._sources[path] = None
        return self._sources[path]

    def _returns_alias(self, callee: FrameType, region: Region) -> bool:
        """Whether this function gives back, as far as its source shows, a tensor on the memory that was written."""
        source = self._source(callee.f_code.co_filename)
        names = source.returned.get(callee.f_code.co_firstlineno, ()) if source is not None else ()
        local = callee.f_locals if names else {}
        return any(_shares(local.get(name), region) for name in names)


def _shares(value: Any, region: Region) -> bool:
    if not isinstance(value, torch.Tensor):
        return False
    with quiet():
        own = region_of(value)
    return own is not None and overlap(own, region)


class _Source:
    """What the text of one file says about its calls."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}

    @cached_property
    def _calls(self) -> dict[tuple[int | None, ...], ast.Call]:
        return {
            (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset): node
            for node in ast.walk(self._tree)
            if isinstance(node, ast.Call)
        }

    @cached_property
    def returned(self) -> dict[int, tuple[str, ...]]:
        """By the first line of a function: the local names that it returns, alone or in a tuple."""
        found: dict[int, list[str]] = {}
        for node in ast.walk(self._tree):
            if not isinstance(node, ast.Return) or node.value is None:
                continue
            function = self._function(node)
            first = function.lineno if not isinstance(function, ast.Module) else 0
            if isinstance(function, ast.FunctionDef) and function.decorator_list:
                first = function.decorator_list[0].lineno
            values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            found.setdefault(first, []).extend(name for value in values if (name := _root(value)) is not None)
        return {first: tuple(names) for first, names in found.items()}

    def given(self, place: Place) -> Iterator[_Given]:
        """The names given to the call that runs there, if its result is used and they are read afterwards."""
        call = self._calls.get(column_range(place))
        if call is None or self._is_statement(call):
            return
        if _name_of(call.func).endswith("_"):
            root = _root(call.func.value) if isinstance(call.func, ast.Attribute) and self.renames(place) else None
            later = self._next_read(call, root) if root is not None else None
            # within one statement the order is plain to see: `d.pow_(-0.5).masked_fill_(d == inf, 0)`
            if root is not None and later is not None and self._statement(later) is not self._statement(call):
                yield _Given(root, later.lineno, False)
            return
        arguments = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg != "out")]
        for name in dict.fromkeys(root for argument in arguments if (root := _root(argument)) is not None):
            later = self._next_read(call, name)
            if later is not None:
                yield _Given(name, later.lineno, self._same_call(call, later))

    @cached_property
    def _by_position(self) -> dict[tuple[int | None, ...], ast.AST]:
        return {
            (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset): node
            for node in ast.walk(self._tree)
            if isinstance(node, (ast.expr, ast.stmt))
        }

    def renames(self, place: Place) -> bool:
        """Whether the write there is `new = old.op_(…)`, so that a new value was meant."""
        call = self._calls.get(column_range(place))
        if call is None or not isinstance(call.func, ast.Attribute):
            return False
        statement, root = self._statement(call), _root(call.func.value)
        return root is not None and isinstance(statement, ast.Assign) and root not in _bound_by(statement)

    def _written_at(self, place: Place) -> tuple[ast.stmt | None, str | None]:
        """The statement there, and the name of what it writes."""
        node = self._by_position.get(column_range(place))
        if node is None:
            return None, None
        statement = self._statement(node)
        if isinstance(statement, ast.Assign):
            return statement, _root(statement.targets[0]) if isinstance(statement.targets[0], ast.Subscript) else None
        if isinstance(statement, ast.AugAssign):
            return statement, _root(statement.target)
        return statement, _root(statement.value) if isinstance(statement, ast.Expr) else None

    def bound_by_call(self, place: Place) -> bool:
        statement, written = self._written_at(place)
        if statement is None or written is None:
            return False
        bindings = [
            node
            for node in ast.walk(self._function(statement))
            if isinstance(node, ast.Assign) and node.lineno < statement.lineno and written in _bound_by(node)
        ]
        last = max(bindings, key=lambda node: node.lineno) if bindings else None
        if last is None or not set(self._loops(statement)) <= set(self._loops(last)):
            return False
        value = last.value
        if not isinstance(value, ast.Call) or _root(value) is not None:
            return False
        return not any(isinstance(node, ast.Name) and node.id == written for node in ast.walk(value))

    def _loops(self, node: ast.AST) -> Iterator[ast.AST]:
        while node in self._parents:
            node = self._parents[node]
            if isinstance(node, (ast.For, ast.While, ast.AsyncFor)):
                yield node

    def second_names(self, place: Place) -> Iterator[_Given]:
        """Names that were bound earlier in the function to the tensor written there, and are read afterwards."""
        statement, written = self._written_at(place)
        if statement is None or written is None:
            return
        for other in ast.walk(self._function(statement)):
            if not isinstance(other, ast.Assign) or other.lineno >= statement.lineno or len(other.targets) != 1:
                continue
            name, value = other.targets[0], other.value
            whole = isinstance(value, ast.Name)
            if isinstance(value, ast.Subscript):
                value = value.value
            if not isinstance(name, ast.Name) or not isinstance(value, ast.Name) or name.id == value.id:
                continue
            for second, first in ((name.id, value.id), (value.id, name.id)) if whole else ((name.id, value.id),):
                if first == written and (later := self._next_read(statement, second)) is not None:
                    yield _Given(second, later.lineno, False, first)

    def _is_statement(self, call: ast.AST) -> bool:
        parent = self._parents[call]
        return isinstance(parent, ast.Expr) or (isinstance(parent, ast.Await) and self._is_statement(parent))

    def _function(self, node: ast.AST) -> _Function:
        while not isinstance(node, _Function):
            node = self._parents[node]
        return node

    def _statement(self, node: ast.AST) -> ast.stmt:
        while not isinstance(node, ast.stmt):
            node = self._parents[node]
        return node

    def _next_read(self, call: ast.expr | ast.stmt, name: str) -> ast.Name | None:
        """Where this name is next read in the same function, unless it is bound anew first."""
        function, statement = self._function(call), self._statement(call)
        if name in _bound_by(statement):
            return None
        end = (call.end_lineno or call.lineno, call.end_col_offset or 0)
        names = [
            node
            for node in ast.walk(function)
            if isinstance(node, ast.Name)
            and node.id == name
            and (node.lineno, node.col_offset) >= end
            and self._function(node) is function
            and not self._in_other_branch(call, node)
        ]
        for node in sorted(names, key=lambda found: (found.lineno, found.col_offset)):
            if isinstance(statement, (ast.Return, ast.Raise)) and self._statement(node) is not statement:
                return None
            if not isinstance(node.ctx, ast.Load) or name in _bound_by(self._statement(node)):
                return None
            if not self._looks_only(node):
                return node
        return None

    def _in_other_branch(self, call: ast.AST, node: ast.AST) -> bool:
        """Whether an `if` decides between the two."""
        arms = dict(self._arms(call))
        return any(ancestor in arms and arms[ancestor] != arm for ancestor, arm in self._arms(node))

    def _arms(self, node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
        while node in self._parents:
            parent = self._parents[node]
            if isinstance(parent, ast.If):
                yield parent, "else" if node in parent.orelse else "then"
            elif isinstance(parent, ast.IfExp):
                yield parent, "else" if node is parent.orelse else "then"
            node = parent

    def _looks_only(self, node: ast.Name) -> bool:
        parent = self._parents[node]
        if isinstance(parent, ast.Attribute):
            return parent.attr in _METADATA
        if isinstance(parent, ast.Call):
            return _name_of(parent.func) in _LOOKS_ONLY
        return isinstance(parent, (ast.Compare, ast.Delete)) and (
            isinstance(parent, ast.Delete) or isinstance(parent.ops[0], (ast.Is, ast.IsNot))
        )

    def _same_call(self, call: ast.Call, read: ast.Name) -> bool:
        parent = self._parents[read]
        return isinstance(parent, ast.Call) and ast.dump(parent.func) == ast.dump(call.func)


def _root(node: ast.AST) -> str | None:
    """`x` for `x`, `x[…]`, `x.float()`: a name whose memory the value may stand on."""
    while True:
        if isinstance(node, ast.Name):
            return node.id
        if isinstance(node, ast.Subscript):
            node = node.value
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and (node.func.attr in _MAY_ALIAS or node.func.attr.endswith("_"))
        ):
            node = node.func.value
        else:
            return None


def _name_of(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _bound_by(statement: ast.AST) -> set[str]:
    targets: list[ast.AST] = []
    if isinstance(statement, ast.Assign):
        targets = list(statement.targets)
    elif isinstance(statement, (ast.AnnAssign, ast.For, ast.AsyncFor)):
        targets = [statement.target]
    return {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)} - {
        node.value.id
        for target in targets
        for node in ast.walk(target)
        if isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.value, ast.Name)
    }
