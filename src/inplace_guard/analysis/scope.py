"""What a file's names mean: imports, functions and classes, looked up in the tree without running it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inplace_guard.analysis.bodies import Body
    from inplace_guard.analysis.classes import ClassInfo
    from inplace_guard.analysis.frames import Frame
    from inplace_guard.analysis.project import Project, Unit
    from inplace_guard.analysis.reach import Effect

# Names under which public torch things are also reached.
ALIASES = {
    "torch.autograd.no_grad": "torch.no_grad",
    "torch.autograd.enable_grad": "torch.enable_grad",
    "torch.autograd.set_grad_enabled": "torch.set_grad_enabled",
    "torch.autograd.inference_mode": "torch.inference_mode",
    "torch.autograd.grad_mode.no_grad": "torch.no_grad",
    "torch.autograd.function.Function": "torch.autograd.Function",
    "torch.Function": "torch.autograd.Function",
    "torch.nn.parameter.Parameter": "torch.nn.Parameter",
    "torch.utils.checkpoint.checkpoint": "torch.utils.checkpoint.checkpoint",
    "torch.nn.modules.module.Module": "torch.nn.Module",
}

INNER_IMPORT = re.compile(r"^[ \t]+((?:from|import) [^\n(#]+)", re.MULTILINE)
MOST_HOPS = 10  # from one re-export to the next
MOST_STARS = 20  # more of them are a list of all there is, and to read it all would take too long
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Scope:
    """The top level of one file. With a project, its imports are known in full, and can be followed."""

    def __init__(self, tree: ast.Module, source: str, project: Project | None = None, unit: Unit | None = None) -> None:
        self.tree = tree
        self.source = source
        self.project = project
        self.unit = unit
        self.found: dict[str, tuple[str, str] | None] = {}  # where the project has a name: the file, the name there
        self.origins: dict[str, str] = {}
        self.bodies: dict[ast.AST, Body] = {}  # what pieces of its code do, by their texts
        self.effects: dict[tuple[ast.AST, int], Effect] = {}  # and what their use in other files may write
        self.costly: dict[ast.AST, int] = {}  # functions of other files, and the steps that were too few for them
        self.stars: list[str] = []  # the modules of `from module import *`
        self.searching: set[str] = set()
        self.lines = split_lines(source)
        # Most files have neither, and then no function is searched for them.
        self.rebinds = "global " in source or "nonlocal " in source
        self.yields = "yield" in source
        self.trains = ".backward(" in source
        self.imports: dict[str, str] = {}
        self.defs: dict[str, Definition] = {}
        self.values: dict[str, ast.expr] = {}
        self.generators: dict[ast.AST, bool] = {}
        self.classes: dict[ast.ClassDef, ClassInfo] = {}
        self.declared: dict[ast.AST, dict[str, str]] = {}
        self.statements: set[ast.AST] | None = None
        self.registries: frozenset[str] | None = None
        for statement in flat(tree.body):
            self.collect(statement)
        for match in INNER_IMPORT.finditer(source):
            self.collect_inner(match[1])

    def collect_inner(self, text: str) -> None:
        """An import inside a function: it counts for the whole file, unless the top level says otherwise."""
        try:
            statement = ast.parse(text).body[0]
        except SyntaxError:  # it goes on over several lines
            return
        if isinstance(statement, ast.Import | ast.ImportFrom):
            for name, dotted in self.imported(statement).items():
                if name not in self.defs and name != "*":
                    self.imports.setdefault(name, dotted)

    def collect(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            names = self.imported(statement)
            if "*" in names:
                self.stars.append(names.pop("*").removesuffix(".*"))
            self.imports.update(names)
        elif isinstance(statement, Definition):
            self.defs.setdefault(statement.name, statement)
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    self.values.setdefault(target.id, statement.value)
        elif isinstance(statement, ast.AnnAssign) and statement.value and isinstance(statement.target, ast.Name):
            self.values.setdefault(statement.target.id, statement.value)

    def imported(self, statement: ast.Import | ast.ImportFrom) -> dict[str, str]:
        """The names that an import statement binds, and what they stand for."""
        names = imported(statement)
        if self.unit is not None:
            for name, dotted in names.items():
                if dotted.startswith("."):
                    names[name] = canonical(self.unit.absolute(dotted))
        return names

    def names(self, name: str, module: str = "") -> bool:
        """Whether the top level binds this name, to something else than this module."""
        return name in self.defs or name in self.values or (name in self.imports and self.imports[name] != module)

    def has(self, name: str) -> bool:
        return self.names(name) or self.star(name) is not None

    def star(self, name: str) -> Scope | None:
        """The file whose `*` import brings this name."""
        if not 0 < len(self.stars) <= MOST_STARS or self.project is None or name in self.searching:
            return None
        self.searching.add(name)  # against files that import each other
        try:
            for module in reversed(self.stars):
                found = self.project.lookup(self, module)
                if found is not None and not found.name and found.scope.exports(name):
                    return found.scope
        finally:
            self.searching.discard(name)
        return None

    def bearer(self, name: str) -> Scope:
        """The file whose top level binds the name that this one has, perhaps by `*` imports."""
        scope = self
        for _ in range(MOST_HOPS):
            other = None if scope.names(name) else scope.star(name)
            if other is None:
                break
            scope = other
        return scope

    def exports(self, name: str) -> bool:
        listed = self.values.get("__all__")
        if isinstance(listed, ast.List | ast.Tuple):
            strings = {part.value for part in listed.elts if isinstance(part, ast.Constant)}
            return name in strings and self.has(name)
        return not name.startswith("_") and self.has(name)

    def origin(self, dotted: str) -> str:
        """Where an imported name comes from: re-exports in the project are followed to the end."""
        known = self.origins.get(dotted)
        if known is not None:
            return known
        name, scope = dotted, self
        for _ in range(MOST_HOPS):
            found = scope.project.lookup(scope, name) if scope.project is not None else None
            if found is None or not found.name:
                break
            scope, last = found.scope.bearer(found.name), found.name
            if last in scope.imports and last not in scope.defs:
                name = scope.imports[last]
            elif isinstance(value := scope.values.get(last), ast.Attribute) and (spelled := scope.spelled(value)):
                name = spelled
            else:
                break
        self.origins[dotted] = name
        return name

    def dotted(self, node: ast.expr | None) -> str | None:
        """The dotted name that an expression stands for, imports resolved: `F.relu` -> torch.nn.functional.relu."""
        name = self.spelled(node)
        return name if name is None or self.project is None else self.origin(name)

    def spelled(self, node: ast.expr | None) -> str | None:
        if isinstance(node, ast.Name):
            if node.id in self.imports:
                return self.imports[node.id]
            value = self.values.get(node.id)
            if value is not None and isinstance(value, ast.Attribute):  # Linear = nn.Linear
                return self.spelled(value)
            return None
        if isinstance(node, ast.Attribute):
            parts = [node.attr]
            inner = node.value
            while isinstance(inner, ast.Attribute):
                parts.append(inner.attr)
                inner = inner.value
            if isinstance(inner, ast.Name) and inner.id in self.imports:
                return canonical(".".join([self.imports[inner.id], *reversed(parts)]))
        return None

    def owner(self, frame: Frame, name: str) -> Frame:
        """The frame that an assignment to this name in `frame` goes to (global, nonlocal)."""
        if not self.rebinds or frame.func is None or isinstance(frame.func, ast.Lambda):
            return frame
        declared = self.declared.get(frame.func)
        if declared is None:
            declared = self.declared[frame.func] = {}
            for node in own(frame.func):
                if isinstance(node, ast.Global | ast.Nonlocal):
                    declared.update(dict.fromkeys(node.names, type(node).__name__))
        kind = declared.get(name)
        if kind is None:
            return frame
        outer = frame.parent
        while outer is not None and outer.parent is not None and (kind == "Global" or name not in outer.locals):
            outer = outer.parent
        return outer or frame

    def is_statement(self, call: ast.AST) -> bool:
        """Whether a call stands alone as a statement."""
        if self.statements is None:
            self.statements = {node.value for node in ast.walk(self.tree) if isinstance(node, ast.Expr)}
        return call in self.statements

    def text(self, node: ast.stmt | ast.expr) -> str:
        """The source lines of a statement, or an expression."""
        return "\n".join(self.lines[node.lineno - 1 : node.end_lineno])

    def is_generator(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        if not self.yields:
            return False
        known = self.generators.get(node)
        if known is None and "yield" not in self.text(node):
            known = self.generators[node] = False
        if known is None:
            known = any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in own(node))
            self.generators[node] = known
        return known


def split_lines(source: str) -> list[str]:
    """The lines as `ast` counts them: str.splitlines() also breaks at form feeds and other characters."""
    return re.split(r"\r\n|\r|\n", source)


def own(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function without those of functions and classes inside it."""
    todo = list(ast.iter_child_nodes(node))
    while todo:
        inner = todo.pop()
        yield inner
        if not isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            todo.extend(ast.iter_child_nodes(inner))


def flat(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Top-level statements, those inside top-level if and try too."""
    for statement in body:
        if isinstance(statement, ast.If):
            yield from flat(statement.body)
            yield from flat(statement.orelse)
        elif isinstance(statement, ast.Try):
            yield from flat(statement.body)
            for handler in statement.handlers:
                yield from flat(handler.body)
            yield from flat(statement.orelse)
        elif isinstance(statement, ast.With):
            yield from flat(statement.body)
        else:
            yield statement


def canonical(dotted: str) -> str:
    if dotted in ALIASES:
        return ALIASES[dotted]
    if dotted.startswith("torch.nn.modules."):
        return "torch.nn." + dotted.rpartition(".")[2]
    return dotted


def imported(statement: ast.Import | ast.ImportFrom) -> dict[str, str]:
    names: dict[str, str] = {}
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            if alias.asname:
                names[alias.asname] = canonical(alias.name)
            else:
                head = alias.name.partition(".")[0]
                names[head] = head
    else:
        module = "." * statement.level + (f"{statement.module}." if statement.module else "")
        for alias in statement.names:
            names[alias.asname or alias.name] = canonical(f"{module}{alias.name}")
    return names
