"""Questions to a file's syntax tree: what encloses a node, what a name is local to, what an import means."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

__all__ = ["Function", "Tree", "has_effects", "last_name", "names_in", "path_of", "root_of", "stored_by"]

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.Module)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_ABOUT = {"shape", "dtype", "device", "ndim", "layout", "requires_grad", "is_cuda", "is_leaf", "is_sparse", "names"}
_MEASURING = {"size", "dim", "numel", "ndimension", "stride", "is_contiguous", "is_floating_point", "is_complex",
              "element_size", "get_device", "nelement", "new_zeros", "new_ones", "new_empty", "new_full",
              "new_tensor"}  # fmt: skip
_SHORT = {
    "torch.nn.parameter.Parameter": "torch.nn.Parameter",
    "torch.autograd.function.Function": "torch.autograd.Function",
}


class Tree:
    """One file."""

    def __init__(self, module: ast.Module) -> None:
        self.module = module
        self.parents: dict[ast.AST, ast.AST] = {}
        todo: list[ast.AST] = [module]
        while todo:
            node = todo.pop()
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
                todo.append(child)
        self._locals: dict[ast.AST, frozenset[str]] = {}

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes that enclose this one, innermost first."""
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

    def statement(self, node: ast.AST) -> ast.stmt:
        """The statement that the node is, or is a part of."""
        if isinstance(node, ast.stmt):
            return node
        return next(parent for parent in self.above(node) if isinstance(parent, ast.stmt))

    def scope(self, node: ast.AST) -> ast.AST:
        """The function, class or module whose code the node is. A comprehension counts as part of where it stands."""
        return next(parent for parent in self.above(node) if isinstance(parent, _SCOPES))

    def in_comprehension(self, node: ast.AST) -> bool:
        """Whether the node is run once an item by a comprehension (its first iterable is not)."""
        child = node
        for parent in self.above(node):
            if isinstance(parent, ast.stmt):
                return False
            if isinstance(parent, _COMPREHENSIONS) and child is not parent.generators[0]:
                return True
            if isinstance(parent, ast.comprehension) and child is not parent.iter:
                return True
            child = parent
        return False

    def block(self, statement: ast.stmt) -> list[ast.stmt]:
        """The statements that stand beside this one."""
        for _, value in ast.iter_fields(self.parents[statement]):
            if isinstance(value, list) and statement in value:
                return value
        return [statement]

    def owner(self, function: ast.AST) -> ast.ClassDef | None:
        """The class whose method the function is."""
        parent = self.parents.get(function)
        return parent if isinstance(parent, ast.ClassDef) else None

    def local(self, scope: ast.AST) -> frozenset[str]:
        """The names that are variables of this function (or global ones, for the module)."""
        if scope not in self._locals:
            self._locals[scope] = frozenset(_bound(scope))
        return self._locals[scope]

    def home(self, name: str, scope: ast.AST) -> ast.AST | None:
        """The scope whose variable the name is when code in `scope` reads it; None for a builtin."""
        at: ast.AST | None = scope
        while at is not None:
            if (at is scope or not isinstance(at, ast.ClassDef)) and name in self.local(at):
                return at
            at = next((parent for parent in self.above(at) if isinstance(parent, _SCOPES)), None)
        return None

    def captured(self, scope: ast.AST) -> frozenset[str]:
        """The variables of a scope that functions inside it read."""
        found: set[str] = set()
        for node in ast.walk(scope):
            if node is not scope and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                own = self.local(node)
                found.update(name.id for name in ast.walk(node) if isinstance(name, ast.Name) and name.id not in own)
        return frozenset(found) & self.local(scope)

    @cached_property
    def functions(self) -> list[Function]:
        return [node for node in self.parents if isinstance(node, Function)]

    @cached_property
    def calls(self) -> list[ast.Call]:
        return [node for node in self.parents if isinstance(node, ast.Call)]

    @cached_property
    def classes(self) -> dict[str, ast.ClassDef]:
        return {node.name: node for node in self.parents if isinstance(node, ast.ClassDef)}

    @cached_property
    def identifiers(self) -> frozenset[str]:
        """Every name that occurs in the file."""
        found = {node.id for node in self.parents if isinstance(node, ast.Name)}
        found |= {node.arg for node in self.parents if isinstance(node, ast.arg)}
        return frozenset(found).union(*(self.local(scope) for scope in (self.module, *self.functions)))

    @cached_property
    def imports(self) -> dict[str, str]:
        """What the names that the file imports stand for: `F` -> `torch.nn.functional`."""
        names: dict[str, str] = {}
        for node in self.parents:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    names[alias.asname or alias.name.partition(".")[0]] = (
                        alias.name if alias.asname else alias.name.partition(".")[0]
                    )
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for alias in node.names:
                    names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        return names

    def dotted(self, expression: ast.expr) -> str:
        """`torch.nn.functional.relu` for what is imported under whatever name; empty for anything else."""
        path = path_of(expression)
        root, _, rest = path.partition(".")
        origin = self.imports.get(root)
        if origin is None:
            return ""
        full = f"{origin}.{rest}" if rest else origin
        return _SHORT.get(full, full)


def path_of(expression: ast.AST) -> str:
    """`self.h` for names and attributes of names; empty for anything else."""
    if isinstance(expression, ast.Name):
        return expression.id
    if isinstance(expression, ast.Attribute):
        base = path_of(expression.value)
        return f"{base}.{expression.attr}" if base else ""
    return ""


def root_of(expression: ast.expr) -> ast.expr:
    """What items, attributes and method calls are taken from: `x` for `x.view(-1)[0]`."""
    while True:
        if isinstance(expression, ast.Attribute | ast.Subscript):
            expression = expression.value
        elif isinstance(expression, ast.Call) and isinstance(expression.func, ast.Attribute):
            expression = expression.func.value
        else:
            return expression


def names_in(*nodes: ast.AST, leave_out: ast.AST | None = None) -> frozenset[str]:
    """The names and attribute paths whose values evaluating the nodes reads. `x.shape` and `x.size()` do not read x."""
    found: set[str] = set()
    todo = list(nodes)
    while todo:
        node = todo.pop()
        if node is leave_out:
            continue
        if isinstance(node, _COMPREHENSIONS):  # its variables are its own
            own = frozenset().union(*[stored_by(generator.target) for generator in node.generators])
            inner = names_in(*ast.iter_child_nodes(node), leave_out=leave_out)
            found.update(path for path in inner if path.partition(".")[0] not in own)
            todo.append(node.generators[0].iter)
            continue
        if isinstance(node, ast.Attribute) and node.attr in _ABOUT:
            if not path_of(node.value):
                todo.append(node.value)
            continue
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _MEASURING:
            todo += [*node.args, *node.keywords]
            if not path_of(node.func.value):
                todo.append(node.func.value)
            continue
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load) and (path := path_of(node)):
            found.add(path)
        todo.extend(ast.iter_child_nodes(node))
    return frozenset(found)


def stored_by(*targets: ast.AST) -> frozenset[str]:
    """The names and attribute paths that get a value."""
    return frozenset(
        path
        for target in targets
        for node in ast.walk(target)
        if isinstance(node, ast.Name | ast.Attribute) and not isinstance(node.ctx, ast.Load) and (path := path_of(node))
    )


def last_name(node: ast.AST) -> str:
    """`blocks` for `self.blocks[0]`; empty for calls and the like."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def has_effects(node: ast.AST) -> bool:
    """Whether evaluating the expression a second time could differ or do anything: calls, walrus, await, yield."""
    return any(
        isinstance(part, (ast.Call, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.Lambda, *_COMPREHENSIONS))
        for part in ast.walk(node)
    )


def _bound(scope: ast.AST) -> Iterator[str]:
    outer: set[str] = set()
    if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        arguments = scope.args
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            yield argument.arg
        for extra in (arguments.vararg, arguments.kwarg):
            if extra is not None:
                yield extra.arg
    found: set[str] = set()
    todo = list(scope.body) if isinstance(getattr(scope, "body", None), list) else []  # type: ignore[attr-defined]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Global | ast.Nonlocal):
            outer.update(node.names)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
            continue
        elif isinstance(node, ast.Lambda):
            continue
        elif isinstance(node, ast.comprehension):  # its targets live in the comprehension alone
            todo += [node.iter, *node.ifs]
            continue
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found.update(alias.asname or alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            found.add(node.rest)
        todo.extend(ast.iter_child_nodes(node))
    yield from found - outer
