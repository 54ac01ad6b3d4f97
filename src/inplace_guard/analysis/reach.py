"""What running a class can reach in its file and in others, by names alone: it tells whether that is worth it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import NamedTuple

from inplace_guard.analysis.bodies import FunctionNode, body_of
from inplace_guard.analysis.scope import MOST_HOPS, Scope

GRAD_MODES = re.compile(r"\b(?:no_grad|enable_grad|set_grad_enabled|inference_mode)\b")
BUILDERS = frozenset({"__init__", "__new__", "__post_init__", "__init_subclass__", "__set_name__"})
ENTRIES = frozenset({"forward", "backward", "setup_context", "training_step"})


class Effect(NamedTuple):
    """What the use of a definition of another file may write."""

    calls: bool = False  # a call of it
    instances: bool = False  # modules that it is, or makes, when they run
    methods: frozenset[str] = frozenset()  # its methods, or of what it makes, that write
    hooks: frozenset[str] = frozenset()  # what a module calls of `self`: a class on top of it may have it


NOTHING = Effect()
Key = tuple[Scope, ast.AST, int]


class Reach:
    """The functions and classes that one class leads to. Methods are found by their names, in the classes that are
    named on the way. What runs while a module is built (`__init__`) writes before there is a graph: only what it names
    counts, and modules that work in place."""

    def __init__(self, home: Scope, node: ast.ClassDef) -> None:
        self.home = home
        self.node = node
        self.classes: dict[ast.ClassDef, None] = {}
        self.foreign: list[Effect] = []
        self.done: dict[ast.AST, bool] = {}  # whether it was looked at as what runs (True) or what builds
        self.attributes: dict[str, bool] = {}

    def writes(self) -> bool:
        """Whether running the forward of the class may write something."""
        return self.enter_class(self.node) or any(
            self.attributes.get(name) for effect in self.foreign for name in effect.methods
        )

    def enter_class(self, node: ast.ClassDef) -> bool:
        if node in self.classes:
            return False
        self.classes[node] = None
        for statement in node.body:
            if isinstance(statement, FunctionNode):
                running = runs(statement.name)
                if running is None:
                    running = self.attributes.get(statement.name)
                if running is not None and self.enter(statement, running):
                    return True
            elif isinstance(statement, ast.Assign) and self.enter(statement, True):
                return True
        return any(self.follow(ast.unparse(base), True) for base in node.bases)

    def enter(self, node: ast.AST, running: bool) -> bool:
        before = self.done.get(node)
        if before is not None and (before or not running):
            return False
        self.done[node] = running
        body = body_of(self.home, node)
        if body.makes or (body.writes and (running or node in self.node.body)):
            return True
        if self.call(body.attributes, running):
            return True
        return any(self.follow(name, running or not called) for name, called in body.names)

    def call(self, names: Iterable[str], running: bool) -> bool:
        """Methods of these names run."""
        weaker = (None, False) if running else (None,)
        fresh = {name for name in names if self.attributes.get(name) in weaker}
        self.attributes.update(dict.fromkeys(fresh, running))
        return any(
            self.enter(statement, running)
            for node in list(self.classes)
            for statement in node.body
            if isinstance(statement, FunctionNode) and statement.name in fresh
        )

    def follow(self, name: str, running: bool) -> bool:
        """What a (dotted) name stands for."""
        head = name.partition(".")[0]
        if head in self.home.defs:
            definition = self.home.defs[head]
            return (
                self.enter_class(definition)
                if isinstance(definition, ast.ClassDef)
                else self.enter(definition, running)
            )
        if head in self.home.values:
            return self.enter(self.home.values[head], running)
        found = elsewhere(self.home, name)
        if found is None:
            return False
        effect = effect_of(*found)
        self.foreign.append(effect)
        return effect.instances or (running and effect.calls) or self.call(effect.hooks, True)


def runs(method: str) -> bool | None:
    """How a method of a class that is in use is reached: it runs (True), it builds (False), or if somebody calls it."""
    if method in BUILDERS:
        return False
    return True if method in ENTRIES or (method.startswith("__") and method.endswith("__")) else None


def elsewhere(scope: Scope, name: str) -> tuple[Scope, str] | None:
    """The other file in which an imported name is defined, and its name there."""
    for _ in range(MOST_HOPS):
        head, _, rest = name.partition(".")
        other = None
        if scope.project is None:
            return None
        if head in scope.imports:
            found = scope.project.lookup(scope, f"{scope.imports[head]}.{rest}" if rest else scope.imports[head])
            if found is None or not found.name:
                return None
            scope, name = found
        else:
            other = scope.star(head)
            if other is None:
                return None
            scope = other
        if name.partition(".")[0] in scope.defs or name.partition(".")[0] in scope.values:
            return scope, name
    return None


def effect_of(scope: Scope, name: str) -> Effect:
    """What the use of a name of another file may write. What that file imports from a third is not looked at (in a
    large project everything leads to everything in the end), but for base classes and other names of the same."""
    fresh: list[Key] = []
    effect = look(scope, name, 0, fresh)
    changed = len(fresh) > 1  # definitions that lead to each other
    while changed:
        changed = False
        for key in fresh:
            file, node, hops = key
            now = compute(file, node, hops, fresh)
            changed |= now != file.effects[node, hops]
            file.effects[node, hops] = now
    return look(scope, name, 0, fresh) if fresh else effect


def decorator_matters(scope: Scope, name: str) -> bool:
    """Whether a decorator of another file may write something around the function, or change the grad mode."""
    found = elsewhere(scope, name)
    if found is None:
        return False
    file, head = found[0], found[1].partition(".")[0]
    definition = file.defs.get(head)
    modes = definition is not None and GRAD_MODES.search(file.text(definition)) is not None
    return modes or (definition is not None and body_of(file, definition).writes)


def look(scope: Scope, name: str, hops: int, fresh: list[Key]) -> Effect:
    head = name.partition(".")[0]
    node: ast.AST = scope.defs[head] if head in scope.defs else scope.values[head]
    known = scope.effects.get((node, hops))
    if known is None:
        fresh.append((scope, node, hops))
        scope.effects[node, hops] = NOTHING
        known = scope.effects[node, hops] = compute(scope, node, hops, fresh)
    return known


def compute(scope: Scope, node: ast.AST, hops: int, fresh: list[Key]) -> Effect:
    if isinstance(node, ast.ClassDef):
        return of_class(scope, node, hops, fresh)
    return of_code(scope, node, hops, fresh)


def named(scope: Scope, names: Iterable[str], hops: int, fresh: list[Key]) -> list[Effect]:
    effects = []
    for name in names:
        head = name.partition(".")[0]
        here = (scope, head) if head in scope.defs or head in scope.values else None
        found = here or (elsewhere(scope, name) if hops else None)
        if found is not None:
            effects.append(look(*found, hops if here else hops - 1, fresh))
    return effects


def of_code(scope: Scope, node: ast.AST, hops: int, fresh: list[Key]) -> Effect:
    body = body_of(scope, node)
    alias = isinstance(node, ast.Name | ast.Attribute | ast.Call)  # `helper = other.helper`, `partial(other.helper)`
    effects = named(scope, (name for name, _ in body.names), 1 if alias else hops, fresh)
    methods = frozenset[str]().union(*(effect.methods for effect in effects))
    calls = body.writes or any(effect.calls for effect in effects) or bool(methods & body.attributes)
    return Effect(calls, body.makes or any(effect.instances for effect in effects), methods)


def of_class(scope: Scope, node: ast.ClassDef, hops: int, fresh: list[Key]) -> Effect:
    bases = named(scope, map(ast.unparse, node.bases), 1, fresh)
    methods = [statement for statement in node.body if isinstance(statement, FunctionNode)]
    bodies = {method.name: body_of(scope, method) for method in methods}
    effects = {method.name: of_code(scope, method, hops, fresh) for method in methods}
    writing = {name for base in bases for name in base.methods if name not in bodies}
    writing |= {name for name, effect in effects.items() if effect.calls and runs(name) is not False}
    hooks = set[str]().union(*(base.hooks for base in bases), (name for name in bodies if runs(name)))
    while True:  # what these lead to in the class itself
        more = {name for name, body in bodies.items() if name not in writing and body.own & writing}
        used = {own for name in hooks & bodies.keys() for own in bodies[name].own} - hooks
        if not more and not used:
            break
        writing |= more
        hooks |= used
    built = [effects[name] for name in bodies if name in hooks or runs(name) is False]
    instances = any(effect.instances for effect in (*bases, *built)) or any(runs(name) for name in writing)
    return Effect(False, instances, frozenset(writing), frozenset(hooks))
