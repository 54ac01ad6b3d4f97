"""What memory the value of an expression may share with what is already there."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from inplace_guard import ops
from inplace_guard.fixes import calling
from inplace_guard.fixes.memory import NOTHING, OUTSIDE, State, Thing, Things, overlap, part
from inplace_guard.fixes.tree import names_in, path_of

if TYPE_CHECKING:
    from inplace_guard.fixes.program import Program

__all__ = ["Evaluator"]


class Evaluator:
    """Evaluates expressions of one scope in a state, which calls and walruses may change."""

    def __init__(self, program: Program, scope: ast.AST) -> None:
        self.program = program
        self.scope = scope
        self.state = State()
        self.yielded: Things = NOTHING
        self._outer = program.declared(scope)

    def value(self, node: ast.expr | None) -> Things:
        if node is None:
            return NOTHING
        handler = _HANDLERS.get(type(node))
        return handler(self, node) if handler is not None else self._made(node)

    def bind(self, target: ast.expr, things: Things, source: ast.expr | None = None) -> None:
        """`target = source`, whose value may share `things`."""
        if isinstance(target, ast.Starred):
            self.bind(target.value, things)
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target.elts, things, source)
        elif path := path_of(target):
            self.state.bind(path, things)
            if path in self._outer:
                self.state.escaped |= things
            base = path.rpartition(".")[0]
            if base not in ("", "self", "cls") and not self.program.is_context(path, self.scope):
                self.state.put(self._read(base), things)
        elif isinstance(target, ast.Subscript):
            if not self.program.kinds.is_tensor(target.value, self.scope, target.slice):
                self.state.put(self.value(target.value), things)
                if isinstance(target.value, ast.Call):  # `globals()["h"] = h`
                    self.state.escaped |= things
        elif isinstance(target, ast.Attribute):
            self.state.escaped |= things

    def _unpack(self, targets: list[ast.expr], things: Things, source: ast.expr | None) -> None:
        if isinstance(source, ast.Tuple | ast.List) and len(source.elts) == len(targets):
            values = [self.value(item) for item in source.elts]
            for target, own in zip(targets, values, strict=True):
                self.bind(target, own)
            return
        starred = any(isinstance(target, ast.Starred) for target in targets)
        for number, target in enumerate(targets):
            self.bind(target, things if starred else self._items(things, number))

    def _items(self, things: Things, index: int | None) -> Things:
        """What an item may be: views made by one call are cut into disjoint parts."""
        found: set[Thing] = set()
        for thing in things:
            if thing[0] == "split":
                found.add(part(thing[1], thing[2], index))
            elif thing[0] in ("list", "old list", "code"):
                found.add(thing)
            else:
                found.add(part(thing, "item" if index is None or index >= 0 else "item from the end", index))
        return frozenset(found)

    def loop(self, target: ast.expr, iterable: ast.expr) -> Things:
        """`for target in iterable`. Returns what the iterator holds."""
        called = iterable.func.id if isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Name) else ""
        arguments = iterable.args if isinstance(iterable, ast.Call) else []
        if called == "enumerate" and isinstance(target, ast.Tuple) and len(target.elts) == 2 and arguments:
            self.bind(target.elts[0], NOTHING)
            return self.loop(target.elts[1], arguments[0])
        if called == "zip" and isinstance(target, ast.Tuple) and len(target.elts) == len(arguments):
            each = [self.loop(own, argument) for own, argument in zip(target.elts, arguments, strict=True)]
            return frozenset().union(*each)
        held = self.value(iterable)
        self.bind(target, self._items(held, None))
        return held

    # Expressions

    def _made(self, node: ast.expr) -> Things:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)
        return frozenset((self.state.make(node),))

    def _nothing(self, node: ast.expr) -> Things:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)
        return NOTHING

    def _read(self, path: str) -> Things:
        known = self.state.names.get(path)
        if known is not None:
            return known
        base, _, attribute = path.rpartition(".")
        if not base:
            home = self.program.tree.home(path, self.scope)
            if home is self.scope:  # bound by what the flow does not follow
                return frozenset((OUTSIDE,))
            return NOTHING if home is None else frozenset((("global", path),))
        fact = ops.attribute(attribute)
        if base not in ("self", "cls") and fact is not None:
            if fact.relation != "new":
                return self._read(base)
            if not fact.tensor:
                return NOTHING
        own: Things = frozenset((("attr", path),))
        return own if base in ("self", "cls") else own | self._read(base)

    def _name(self, node: ast.Name) -> Things:
        return self._read(node.id)

    def _attribute(self, node: ast.Attribute) -> Things:
        if path := path_of(node):
            return NOTHING if self.program.tree.dotted(node) else self._read(path)
        base = self.value(node.value)
        fact = ops.attribute(node.attr)
        if fact is not None and not fact.tensor and fact.relation == "new":
            return NOTHING
        return base if fact is not None else base | {OUTSIDE}

    def _subscript(self, node: ast.Subscript) -> Things:
        base = self.value(node.value)
        base |= self.overloaded(node, node.value, node.slice, [base, self.value(node.slice)])
        if any(isinstance(inner, ast.Compare | ast.Invert) for inner in ast.walk(node.slice)):
            return frozenset((self.state.make(node),))  # a mask takes a copy
        index = node.slice
        if (
            isinstance(index, ast.UnaryOp)
            and isinstance(index.op, ast.USub)
            and isinstance(index.operand, ast.Constant)
        ):
            return self._items(base, -index.operand.value) if isinstance(index.operand.value, int) else base
        if isinstance(index, ast.Constant) and isinstance(index.value, int):
            return self._items(base, index.value)
        cut = _half(index)
        if cut is not None and self.program.is_steady(cut[0], self.scope):
            key = "/".join(ast.dump(item) for item in cut[0])
            return frozenset(part(thing, key, cut[1]) for thing in base)
        return base

    def _container(self, node: ast.expr) -> Things:
        held: Things = NOTHING
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                things = self.value(child)
                if any(overlap(one, other) for one in things for other in held):
                    held |= {OUTSIDE}  # one tensor twice
                held |= things
        return held | {self.state.make(node, "list")}

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Things:
        outer = dict(self.state.names)
        for generator in node.generators:
            self.loop(generator.target, generator.iter)
            for test in generator.ifs:
                self.value(test)
        held = self.value(node.value if isinstance(node, ast.DictComp) else node.elt)
        targets = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        for name in targets:
            self.state.names.pop(name, None)
            if name in outer:
                self.state.names[name] = outer[name]
        if isinstance(node, ast.GeneratorExp) and not isinstance(self.program.tree.parents.get(node), ast.Call):
            held |= self.held_by(node)  # it runs later
        return held | {self.state.make(node, "list")}

    def held_by(self, node: ast.AST) -> Things:
        """What the names in code that runs later hold now."""
        return frozenset().union(*[self._read(path) for path in names_in(node)])

    def defined(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda) -> Things:
        """What a function or class holds: its defaults, what the body of the class has read, and its own code."""
        held: Things = frozenset((("code", node),))
        if not isinstance(node, ast.ClassDef):
            return held.union(*map(self.value, _defaults(node.args)))
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                held |= self.defined(statement)
            else:
                held = held.union(*[self.value(part) for part in _outermost(statement)])
        return held

    def _yield(self, node: ast.Yield | ast.YieldFrom) -> Things:
        things = self.value(node.value)
        self.state.escaped |= things
        self.yielded |= things
        return frozenset((OUTSIDE,))

    def _either(self, node: ast.IfExp) -> Things:
        self.value(node.test)
        return self.value(node.body) | self.value(node.orelse)

    def _any_of(self, node: ast.BoolOp) -> Things:
        return frozenset().union(*[self.value(value) for value in node.values])

    def _walrus(self, node: ast.NamedExpr) -> Things:
        things = self.value(node.value)
        self.bind(node.target, things)
        return things

    def _inner(self, node: ast.Await | ast.Starred) -> Things:
        return self.value(node.value)

    def overloaded(self, op: ast.AST, left: ast.expr, right: ast.expr, given: Sequence[Things]) -> Things:
        """What an operator that a class of the file has for itself may hand back; what it keeps has escaped."""
        kinds, found = self.program.kinds, NOTHING
        plain = [isinstance(one, ast.Constant) or kinds.is_tensor(one, self.scope) for one in (left, right)]
        for method, reflected in self.program.operators.get(type(op), ()) if not all(plain) else ():
            kept, returned = calling.run(self, method, [*reversed(given)] if reflected else [*given])
            self.state.escaped |= kept
            found |= returned
        return found

    def _compared(self, node: ast.Compare) -> Things:
        operands = [node.left, *node.comparators]
        values = [self.value(operand) for operand in operands]
        for number, op in enumerate(node.ops):
            self.overloaded(op, operands[number], operands[number + 1], values[number : number + 2])
        return NOTHING

    def _operation(self, node: ast.BinOp) -> Things:
        left, right = self.value(node.left), self.value(node.right)
        kinds = self.program.kinds
        if kinds.is_container(node.left, self.scope) or kinds.is_container(node.right, self.scope):
            twice = {OUTSIDE} if isinstance(node.op, ast.Mult) else set()
            return left | right | twice | {self.state.make(node, "list")}
        return self.overloaded(node.op, node.left, node.right, [left, right]) | {self.state.make(node)}


def _outermost(statement: ast.AST) -> Iterator[ast.expr]:
    """The expressions that a statement and those in it evaluate."""
    for child in ast.iter_child_nodes(statement):
        if not isinstance(child, ast.expr):
            yield from _outermost(child)
        elif not isinstance(getattr(child, "ctx", None), ast.Store):
            yield child


def _defaults(arguments: ast.arguments) -> list[ast.expr]:
    return [default for default in (*arguments.defaults, *arguments.kw_defaults) if default is not None]


def _half(index: ast.expr) -> tuple[list[ast.expr], str] | None:
    """`[..., :k]` and `[..., k:]` are the two halves of one cut."""
    parts = list(index.elts) if isinstance(index, ast.Tuple) else [index]
    last = parts[-1] if parts else None
    if not isinstance(last, ast.Slice) or last.step is not None or (last.lower is None) == (last.upper is None):
        return None
    bound = last.upper if last.lower is None else last.lower
    assert bound is not None
    return [*parts[:-1], bound], "below" if last.lower is None else "above"


_HANDLERS: dict[type[ast.expr], Callable[..., Things]] = {
    ast.Name: Evaluator._name,
    ast.Attribute: Evaluator._attribute,
    ast.Subscript: Evaluator._subscript,
    ast.Call: calling.call,
    ast.BinOp: Evaluator._operation,
    ast.Tuple: Evaluator._container,
    ast.List: Evaluator._container,
    ast.Set: Evaluator._container,
    ast.Dict: Evaluator._container,
    ast.ListComp: Evaluator._comprehension,
    ast.SetComp: Evaluator._comprehension,
    ast.GeneratorExp: Evaluator._comprehension,
    ast.DictComp: Evaluator._comprehension,
    ast.IfExp: Evaluator._either,
    ast.BoolOp: Evaluator._any_of,
    ast.NamedExpr: Evaluator._walrus,
    ast.Await: Evaluator._inner,
    ast.Starred: Evaluator._inner,
    ast.Compare: Evaluator._compared,
    ast.Slice: Evaluator._nothing,
    ast.JoinedStr: Evaluator._nothing,
    ast.Constant: Evaluator._nothing,
    ast.Lambda: Evaluator.defined,
    ast.Yield: Evaluator._yield,
    ast.YieldFrom: Evaluator._yield,
}
