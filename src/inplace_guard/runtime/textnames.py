"""What the text of one file says about its calls and names: what was bound to what, and where it is read next."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from inplace_guard.runtime.capture import Place, column_range
from inplace_guard.runtime.syntax import syntax

__all__ = ["Given", "Source", "root_of_part", "source_of"]

# methods whose result may stand on the memory of the tensor
_MAY_ALIAS = {
    "float", "double", "half", "bfloat16", "to", "type", "type_as", "cpu", "contiguous", "flatten", "reshape", "view",
    "detach", "squeeze", "unsqueeze", "expand", "transpose", "permute", "t", "requires_grad_", "narrow", "select",
}  # fmt: skip
# those of them whose result is a new tensor, unless it would be the same
_MAY_COPY = {"float", "double", "half", "bfloat16", "to", "type", "type_as", "cpu", "contiguous"}
_METADATA = {
    "shape", "dtype", "device", "size", "dim", "ndim", "numel", "nelement", "requires_grad", "is_cuda", "stride",
    "layout", "is_contiguous", "is_floating_point", "grad_fn", "names", "type", "element_size", "is_leaf",
}  # fmt: skip
_LOOKS_ONLY = {"len", "isinstance", "type", "id", "hasattr"}
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.Module


@dataclass(frozen=True, slots=True)
class Given:
    """A local name that a call is given, and where it is read next; `again` if that is by the same call once more."""

    name: str  # or `batch["x"]`, `batch.x`
    line: int
    again: bool
    of: str = ""  # the name that it was taken from, by `name = of` or `name = of[…]`
    part: ast.expr | None = None  # the item or attribute, if it is one


def source_of(path: str) -> Source | None:
    """Of this file, as `linecache` has it; None for what Python does not parse."""
    return _source_of("".join(linecache.getlines(path)))


@lru_cache(maxsize=16)  # a guard that is opened for each step, or each test, reads the file once
def _source_of(text: str) -> Source | None:
    tree = syntax(text)
    return Source(tree) if tree is not None else None


class Source:
    """What the text of one file says about its calls."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._parents: dict[ast.AST, ast.AST] = {}
        self._by_position: dict[tuple[int | None, ...], ast.expr | ast.stmt] = {}  # the innermost that stands there
        self._calls: dict[tuple[int | None, ...], ast.Call] = {}
        waiting: list[ast.AST] = [tree]
        while waiting:
            node = waiting.pop()
            if isinstance(node, (ast.expr, ast.stmt)):
                position = (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset)
                self._by_position[position] = node
                if isinstance(node, ast.Call):
                    self._calls[position] = node
            for child in ast.iter_child_nodes(node):
                self._parents[child] = node
                waiting.append(child)

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

    def given(self, place: Place) -> Iterator[Given]:
        """The names given to the call that runs there, if its result is used and they are read afterwards."""
        call = self._calls.get(column_range(place))
        if call is None or self._is_statement(call):
            return
        if _name_of(call.func).endswith("_"):
            root = _root(call.func.value) if isinstance(call.func, ast.Attribute) and self.renames(place) else None
            later = self._next_read(call, root) if root is not None else None
            # within one statement the order is plain to see: `d.pow_(-0.5).masked_fill_(d == inf, 0)`
            if root is not None and later is not None and self._statement(later) is not self._statement(call):
                yield Given(root, later.lineno, False)
            return
        arguments = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg != "out")]
        for name in dict.fromkeys(root for argument in arguments if (root := _root(argument)) is not None):
            later = self._next_read(call, name)
            if later is not None:
                yield Given(name, later.lineno, self._same_call(call, later))
        for part in arguments:
            if _is_part(part) and (again := self._next_part(call, part)) is not None:
                yield Given(ast.unparse(part), again.lineno, False, part=part)

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

    def _last_binding(self, statement: ast.stmt, name: str) -> ast.Assign | None:
        """The assignment before this statement, in the same function, that bound the name last."""
        bindings = [
            node
            for node in ast.walk(self._function(statement))
            if isinstance(node, ast.Assign) and node.lineno < statement.lineno and name in _bound_by(node)
        ]
        return max(bindings, key=lambda node: node.lineno) if bindings else None

    def bound_to_copy(self, place: Place) -> bool:
        statement, written = self._written_at(place)
        last = self._last_binding(statement, written) if statement is not None and written is not None else None
        return last is not None and isinstance(last.targets[0], ast.Name) and _may_copy(last.value)

    def bound_by_call(self, place: Place) -> bool:
        statement, written = self._written_at(place)
        if statement is None or written is None:
            return False
        last = self._last_binding(statement, written)
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

    def second_names(self, place: Place) -> Iterator[Given]:
        """Names that were bound earlier in the function to the tensor written there, and are read afterwards."""
        statement, written = self._written_at(place)
        if statement is None or written is None:
            return
        bindings = [
            pair
            for other in ast.walk(self._function(statement))
            if isinstance(other, ast.Assign) and other.lineno < statement.lineno and len(other.targets) == 1
            for pair in _pairs(other.targets[0], other.value)
        ]
        for name, value in bindings:
            whole = isinstance(value, ast.Name) or _may_copy(value)
            if isinstance(value, ast.Subscript):
                value = value.value
            elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and whole:
                value = value.func.value
            if not isinstance(name, ast.Name) or not isinstance(value, ast.Name) or name.id == value.id:
                continue
            for second, first in ((name.id, value.id), (value.id, name.id)) if whole else ((name.id, value.id),):
                if first == written and (later := self._next_read(statement, second)) is not None:
                    yield Given(second, later.lineno, False, first)

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

    def _next_part(self, call: ast.Call, part: ast.expr) -> ast.expr | None:
        """Where this item or attribute is next read in the same function, unless it is bound anew first."""
        function, statement, text = self._function(call), self._statement(call), ast.dump(part)
        end = (call.end_lineno or call.lineno, call.end_col_offset or 0)
        root = root_of_part(part)
        if isinstance(statement, (ast.Return, ast.Raise)) or root is None or root in _bound_by(statement):
            return None
        stores = {ast.dump(node) for node in ast.walk(statement) if _is_part(node, ast.Store)}
        if text.replace("Load()", "Store()") in {dump.replace("Load()", "Store()") for dump in stores}:
            return None
        found = [
            node
            for node in ast.walk(function)
            if isinstance(node, (ast.Subscript, ast.Attribute, ast.Name))
            and (node.lineno, node.col_offset) >= end
            and self._function(node) is function
            and not self._in_other_branch(call, node)
        ]
        for node in sorted(found, key=lambda node: (node.lineno, node.col_offset)):
            if isinstance(node, ast.Name) and node.id == root and not isinstance(node.ctx, ast.Load):
                return None
            if _is_part(node) and ast.dump(node) == text:
                return node
            if _is_part(node, ast.Store) and ast.dump(node).replace("Store()", "Load()") == text:
                return None
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


def _may_copy(value: ast.expr) -> bool:
    """`x.contiguous()`: another tensor, or x itself if it is as wanted already."""
    return (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr in _MAY_COPY
        and isinstance(value.func.value, ast.Name)
    )


def _is_part(node: ast.AST, context: type[ast.expr_context] = ast.Load) -> bool:
    """`name["x"]` or `name.x`."""
    if isinstance(node, ast.Subscript):
        known = isinstance(node.slice, ast.Constant) and isinstance(node.value, ast.Name)
        return known and isinstance(node.ctx, context)
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and isinstance(node.ctx, context)


def root_of_part(part: ast.expr) -> str | None:
    owner = part.value if isinstance(part, (ast.Subscript, ast.Attribute)) else part
    return owner.id if isinstance(owner, ast.Name) else None


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """`a, b = x, y` binds each name to one value."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return list(zip(target.elts, value.elts, strict=True))
    return [(target, value)]


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
