"""What a piece of code does, by its text: whether it writes what may be a tensor, and what it names."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from inplace_guard import ops
from inplace_guard.analysis.scope import Scope
from inplace_guard.ops import Op

# What a write looks like in the text: most functions have nothing of it, and are not looked at closer.
WRITES = re.compile(
    r"[A-Za-z0-9]_\(|[+\-*/@%&|^]=|<<=|>>=|\]\s*=[^=]|inplace|\bout=|\.data\b|[(,]\s*True\)|\b(?:all_|broadcast|reduce|recv)"
)
NAMES = re.compile(r"(?<![\w.\"'])([A-Za-z_]\w*(?:\.\w+)*)(\()?")
SUPER = re.compile(r"super\([^()]*\)\.(\w+)")
ATTRIBUTES = re.compile(r"\.([A-Za-z_]\w*)")
GRAD_OFF = frozenset({"no_grad", "inference_mode", "set_grad_enabled"})
LEAVING_THE_GRAPH = frozenset({"data", "detach", "detach_", "item", "numpy", "tolist"})
DISPLAYS = (ast.List, ast.Tuple, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.JoinedStr)
CONTAINERS = frozenset({"dict", "list", "set", "defaultdict", "OrderedDict", "Counter", "deque"})
NUMBERS = frozenset({"len", "int", "float", "str", "range", "round", "sorted"})
COPIES = re.compile(r"clone|new_\w+")
NOT_WRITES = frozenset({"requires_grad_", "share_memory_", "pin_memory_"})

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


class Body(NamedTuple):
    """What a piece of code does, by its text."""

    writes: bool  # a tensor, perhaps
    makes: bool  # a module that works in place
    names: tuple[tuple[str, bool], ...]  # dotted, and whether it is called
    own: frozenset[str]  # what it uses of `self`
    attributes: frozenset[str]  # what it uses of anything


def body_of(scope: Scope, node: ast.AST) -> Body:
    known = scope.bodies.get(node)
    if known is None:
        known = scope.bodies[node] = summary(scope, node)
    return known


def summary(scope: Scope, node: ast.AST) -> Body:
    text = code(scope, node)
    names: dict[tuple[str, bool], None] = {}
    own: set[str] = set()
    for match in NAMES.finditer(text):
        name, call = match[1], match[2] is not None
        head, _, rest = name.partition(".")
        if head in ("self", "cls"):
            own.update(rest.split("."))
        elif head in scope.defs or head in scope.values or head in scope.imports or scope.stars:
            names[name, call] = None
    own.update(SUPER.findall(text))
    writes, makes = closer(scope, node) if WRITES.search(text) else (False, False)
    return Body(writes, makes, tuple(names), frozenset(own), frozenset(ATTRIBUTES.findall(text)))


def code(scope: Scope, node: ast.AST) -> str:
    """The text of a piece of code; of a function, its defaults and statements, without the docstring."""
    if not isinstance(node, FunctionNode):
        assert isinstance(node, ast.stmt | ast.expr)
        return scope.text(node)
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        if len(node.body) == 1:
            return ""
        first = node.body[1]
    lines = scope.lines[first.lineno - 1 : node.end_lineno]
    lines[0] = lines[0][first.col_offset :]
    defaults = [d for d in (*node.args.defaults, *node.args.kw_defaults) if d and not isinstance(d, ast.Constant)]
    return "\n".join([*map(ast.unparse, defaults), *lines])


def cuts(scope: Scope, code: ast.AST) -> bool:
    """Whether some code switches grad mode off, or takes values out of their graph."""
    named = [node for node in ast.walk(code) if isinstance(node, ast.Attribute | ast.Name)]
    return any(
        (scope.dotted(node) or "").removeprefix("torch.autograd.").removeprefix("torch.") in GRAD_OFF
        or (isinstance(node, ast.Attribute) and node.attr in LEAVING_THE_GRAPH)
        for node in named
    )


def closer(scope: Scope, code: ast.AST) -> tuple[bool, bool]:
    """Whether some code writes what may be a tensor that somebody reads, and whether it makes a module that does."""
    writes = makes = False
    local = Locals(scope, code)
    for node in ast.walk(code):
        if isinstance(node, ast.AugAssign):
            writes |= not (isinstance(node.value, DISPLAYS) or text_like(node.value) or local.harmless(node.target))
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            for target in spread(node.targets if isinstance(node, ast.Assign) else [node.target]):
                if isinstance(target, ast.Subscript) and not text_like(target.slice):
                    writes |= not (local.harmless(target) or is_container(scope, local, target.value))
        elif isinstance(node, ast.Call):
            function = node.func
            name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            if name.endswith("_") and not name.endswith("__") and name not in NOT_WRITES:
                method = isinstance(function, ast.Attribute) and scope.spelled(function) is None
                receiver = function.value if method and isinstance(function, ast.Attribute) else None
                writes |= receiver is None or not (fresh(scope, receiver) or local.harmless(receiver))
            writes |= (scope.spelled(function) or "").startswith("torch.distributed.")  # all_reduce and its like
            for keyword in node.keywords:
                writes |= keyword.arg == "out"
                off = isinstance(keyword.value, ast.Constant) and not keyword.value.value
                makes |= keyword.arg == "inplace" and not off
            if any(isinstance(arg, ast.Constant) and arg.value is True for arg in node.args):
                makes |= name[:1].isupper() or (scope.spelled(function) or "").startswith("torch.nn.")
        elif isinstance(node, ast.Attribute) and node.attr == "data":
            writes = True
    return writes, makes


class Locals:
    """The names that a function binds, each to what is new wherever it is bound, and when they are used."""

    def __init__(self, scope: Scope, code: ast.AST) -> None:
        self.scope = scope
        self.code = code
        self.values: dict[str, list[ast.expr | None]] | None = None
        self.uses: dict[str, list[ast.expr]] = {}
        self.loops: list[ast.stmt] = []

    def bound(self, name: str) -> list[ast.expr | None]:
        """What a name is bound to; None for what is not an expression of its own."""
        if self.values is None:
            self.values = {}
            self.gather(self.values)
        return self.values.get(name, [])

    def gather(self, values: dict[str, list[ast.expr | None]]) -> None:
        known: set[ast.AST] = set()  # the names that are targets; a statement comes before what is in it
        for node in ast.walk(self.code):
            if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr):
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    known.add(base(target))
                    if isinstance(target, ast.Name) and node.value is not None:
                        values.setdefault(target.id, []).append(node.value)
            elif isinstance(node, ast.AugAssign):
                known.add(base(node.target))
            elif isinstance(node, ast.Return):
                known.update([node.value] if node.value is not None else [])
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.endswith("_"):
                known.add(base(node.func.value))
            elif isinstance(node, ast.arguments):
                for given, made in ((node.vararg, ast.Tuple([])), (node.kwarg, ast.Dict([], []))):
                    if given is not None:
                        known.add(given)
                        values.setdefault(given.arg, []).append(made)
            elif isinstance(node, ast.arg) and node not in known:
                values.setdefault(node.arg, []).append(None)
            elif isinstance(node, ast.For | ast.While | ast.AsyncFor):
                self.loops.append(node)
            elif isinstance(node, ast.Name) and node not in known:
                if isinstance(node.ctx, ast.Store):
                    values.setdefault(node.id, []).append(None)
                else:
                    self.uses.setdefault(node.id, []).append(node)

    def harmless(self, target: ast.expr) -> bool:
        """Whether a write to this reaches only what the function itself made, and nobody read before."""
        name = base(target)
        if not isinstance(name, ast.Name):
            return False
        values = self.bound(name.id)
        if not values or not all(value is not None and (fresh(self.scope, value) or plain(value)) for value in values):
            return False
        last = max((loop.end_lineno or 0 for loop in self.loops if inside(target, loop)), default=target.lineno)
        return all(use.lineno > last for use in self.uses.get(name.id, ()))


def is_container(scope: Scope, local: Locals, node: ast.expr) -> bool:
    if not isinstance(node, ast.Name):
        return False
    values = local.bound(node.id) or [scope.values.get(node.id)]
    return all(value is not None and container(value) for value in values)


def inside(node: ast.expr, loop: ast.stmt) -> bool:
    return loop.lineno <= node.lineno <= (loop.end_lineno or loop.lineno)


def base(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Subscript):
        node = node.value
    return node


def spread(targets: Iterable[ast.expr]) -> Iterator[ast.expr]:
    for target in targets:
        if isinstance(target, ast.Tuple | ast.List):
            yield from spread(target.elts)
        else:
            yield target.value if isinstance(target, ast.Starred) else target


def text_like(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return text_like(node.left) or text_like(node.right)
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def plain(node: ast.expr) -> bool:
    """A number, a text or a truth; certainly no tensor."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in NUMBERS
    if isinstance(node, ast.BoolOp):
        return all(isinstance(value, ast.Call | ast.Compare | ast.UnaryOp) for value in node.values)
    return isinstance(node, ast.Constant | ast.JoinedStr)


def fresh(scope: Scope, node: ast.expr) -> bool:
    """Memory of its own, that no operation has kept: of a power, autograd keeps the result."""
    if isinstance(node, ast.Call):
        dotted = scope.spelled(node.func)
        op = ops.lookup(dotted) if dotted else None
        # What else a tensor's method may be called, a module's or a program's own may be, too: `self.inner(x)`.
        copied = not dotted and isinstance(node.func, ast.Attribute) and COPIES.fullmatch(node.func.attr)
        return bool(copied) or (op is not None and is_made(op))
    if not isinstance(node, ast.BinOp) or isinstance(node.op, ast.Pow):
        return False
    return not any(isinstance(side, DISPLAYS) for side in (node.left, node.right))  # `{} | {}` holds what it is made of


@functools.cache
def is_made(op: Op) -> bool:
    """Whether what an op gives is new memory that its backward does not read, unless it is given `out=`."""
    return all(
        all(result.relation == "new" and result.tensor for result in overload.results)
        and not overload.writes
        and not any(save.what.startswith("result") for save in overload.saves)
        for overload in op.overloads
        if "out" not in overload.writes
    )


def container(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in CONTAINERS
    return isinstance(node, DISPLAYS)
