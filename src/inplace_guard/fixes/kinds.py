"""Tensor, container or neither: what the code of one scope shows of a name or an expression."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from inplace_guard import ops
from inplace_guard.fixes.tree import path_of

if TYPE_CHECKING:
    from inplace_guard.fixes.tree import Tree

__all__ = ["Kinds"]

_CONTAINERS = ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp | ast.GeneratorExp | ast.Tuple
_MAKERS = {"list", "dict", "set", "tuple", "sorted", "collections.OrderedDict", "collections.defaultdict",
           "collections.deque", "torch.autograd.grad"}  # fmt: skip
_CONTAINER_METHODS = {"append", "extend", "insert", "keys", "items", "values", "setdefault", "update", "appendleft"}
_CONTAINER_TYPES = {"list", "List", "dict", "Dict", "Sequence", "MutableSequence", "Mapping", "MutableMapping", "tuple",
                    "Tuple", "Iterable", "OrderedDict", "defaultdict", "deque"}  # fmt: skip
_ALSO_OF_CONTAINERS = {"index", "count", "sort", "copy", "clear", "pop", "get", "values", "items", "keys", "add",
                       "remove", "update", "insert", "reverse", "append", "extend", "data", "name", "names", "type",
                       "split", "format", "T", "fill", "mean", "max", "min", "sum", "any", "all", "item"}  # fmt: skip


class Kinds:
    """Answers from the assignments, uses and annotations of a name; "" where they do not tell, or contradict."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._known: dict[tuple[ast.AST, str], str] = {}

    def is_tensor(self, node: ast.expr, scope: ast.AST, index: ast.expr | None = None) -> bool:
        """Whether `node` is certainly a tensor; `index` is what it is indexed with."""
        if index is not None and _only_tensors_take(index) and not isinstance(node, _CONTAINERS):
            return self._kind(node, scope) != "container"
        return self._kind(node, scope) == "tensor"

    def is_container(self, node: ast.expr, scope: ast.AST) -> bool:
        return self._kind(node, scope) == "container"

    def _kind(self, node: ast.expr, scope: ast.AST, depth: int = 0) -> str:
        if isinstance(node, _CONTAINERS):
            return "container"
        if path := path_of(node):
            return self._path(path, scope, depth)
        if isinstance(node, ast.BinOp):
            left = self._kind(node.left, scope, depth)
            return "container" if left == "container" and isinstance(node.op, ast.Add | ast.Mult) else left
        if isinstance(node, ast.UnaryOp | ast.Await):
            return self._kind(node.operand if isinstance(node, ast.UnaryOp) else node.value, scope, depth)
        if isinstance(node, ast.Subscript):
            return "tensor" if self._kind(node.value, scope, depth) == "tensor" else ""
        if isinstance(node, ast.Call):
            return self._called(node, scope, depth)
        return ""

    def _called(self, node: ast.Call, scope: ast.AST, depth: int) -> str:
        dotted = self._tree.dotted(node.func) or path_of(node.func)
        if dotted in _MAKERS:
            return "container"
        op = ops.lookup(dotted)
        if op is None and isinstance(node.func, ast.Attribute):
            name, receiver = node.func.attr, node.func.value
            if path_of(receiver) in ("self", "cls") or name in _ALSO_OF_CONTAINERS:
                return self._kind(receiver, scope, depth) if name in ("copy", "sum", "mean", "max", "min") else ""
            op = ops.method(name)
        if op is None:
            return ""
        results = [overload.results for overload in op.overloads]
        if all(len(found) == 1 and found[0].tensor and not found[0].sequence for found in results):
            return "tensor"
        return "container" if all(len(found) > 1 or (found and found[0].sequence) for found in results) else ""

    def _path(self, path: str, scope: ast.AST, depth: int) -> str:
        key = (scope, path)
        if key not in self._known:
            if depth > 6:
                return ""
            self._known[key] = ""  # an answer for whoever asks while this one is looked for
            self._known[key] = self._look(path, scope, depth + 1)
        return self._known[key]

    def _look(self, path: str, scope: ast.AST, depth: int) -> str:
        """All assignments must agree; without any, one telling use is enough."""
        found: set[str] = set()
        assigned = False
        uses: set[str] = set()
        for node in ast.walk(self._where(path, scope)):
            if isinstance(node, ast.arg) and node.arg == path and node.annotation is not None:
                found.add(_annotated(node.annotation))
            elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target, value in (pair for own in targets for pair in _pairs(own, node.value)):
                    if path_of(target) == path:
                        assigned = True
                        if not (isinstance(value, ast.Constant) and value.value is None):
                            found.add(self._kind(value, scope, depth))
            elif isinstance(node, ast.Attribute) and path_of(node.value) == path:
                if node.attr in _CONTAINER_METHODS:
                    uses.add("container")
                elif node.attr not in _ALSO_OF_CONTAINERS and (ops.method(node.attr) or ops.attribute(node.attr)):
                    uses.add("tensor")
            elif isinstance(node, ast.Subscript) and path_of(node.value) == path and _only_tensors_take(node.slice):
                uses.add("tensor")
            elif isinstance(node, ast.Subscript) and path_of(node.value) == path and _is_key(node.slice):
                uses.add("container")
            elif isinstance(node, ast.Call) and self._tree.dotted(node.func).endswith("register_buffer"):
                continue
        if len(found) == 1 and "" not in found:
            return found.pop()
        if len(found - {""}) <= 1 and len(uses) == 1 and (found - {""}) <= uses:
            return uses.pop()
        return "" if assigned or len(uses) != 1 else uses.pop()

    def _where(self, path: str, scope: ast.AST) -> ast.AST:
        """Attributes of self are looked for in the whole class."""
        if path.startswith("self.") and (owner := self._tree.owner(scope)) is not None:
            return owner
        return scope


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """What gets which value: `q, r = [], []`."""
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple) or len(target.elts) != len(value.elts):
        return [(target, value)]
    if any(isinstance(item, ast.Starred) for item in (*target.elts, *value.elts)):
        return [(target, value)]
    return [pair for one, own in zip(target.elts, value.elts, strict=True) for pair in _pairs(one, own)]


def _only_tensors_take(index: ast.expr) -> bool:
    """Slices in a tuple, `...`, None and masks: nothing that a list or dict is indexed with."""
    if isinstance(index, ast.Tuple):
        return any(isinstance(item, ast.Slice) or _only_tensors_take(item) for item in index.elts)
    if isinstance(index, ast.Constant):
        return index.value is Ellipsis or index.value is None
    if isinstance(index, ast.BinOp):
        return _only_tensors_take(index.left) or _only_tensors_take(index.right)
    return isinstance(index, ast.Compare) or (isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.Invert))


def _is_key(index: ast.expr) -> bool:
    return isinstance(index, ast.JoinedStr) or (isinstance(index, ast.Constant) and isinstance(index.value, str))


def _annotated(annotation: ast.expr) -> str:
    names = {node.id for node in ast.walk(annotation) if isinstance(node, ast.Name)}
    names |= {node.attr for node in ast.walk(annotation) if isinstance(node, ast.Attribute)}
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        names = set(annotation.value.replace("[", " ").replace("]", " ").replace(".", " ").replace(",", " ").split())
    if names & _CONTAINER_TYPES:
        return "container"
    return "tensor" if "Tensor" in names else ""
