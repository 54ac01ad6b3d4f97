"""Where a file calls its own functions and modules, by name: rather one place too many than one too few."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from inplace_guard.fixes.program import Program
from inplace_guard.fixes.tree import Function, last_name, path_of

__all__ = ["CallSite", "Callers"]

_Value = TypeVar("_Value")
_CHAINS = {"Sequential", "ModuleList", "ModuleDict", "OrderedDict"}


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call and the expression that it gives for the parameter asked for; None if that cannot be told."""

    call: ast.Call
    argument: ast.expr | None


class Callers:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._tree = program.tree
        self._holders: dict[str | ast.Call, frozenset[str]] = {}
        self._passed_on: dict[tuple[str, bool], bool] = {}

    def of(self, function: Function, parameter: str) -> list[CallSite]:
        names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
        owner = self._tree.owner(function)
        bound = 0 if owner is None or _is_static(function) else 1
        sites = [(call, bound) for call in self.named(function)]
        if owner is not None and getattr(function, "name", "") in ("forward", "__call__"):
            sites += [(call, bound) for call in self.of_instances(owner.name)]
            sites += [(call, 1) for call in self._applying(owner)]
        found: dict[ast.Call, CallSite] = {}
        for call, skip in sites:
            index = names.index(parameter) - skip if parameter in names else -1
            given = call.args[: index + 1] if 0 <= index < len(call.args) else []
            starred = any(isinstance(one, ast.Starred) for one in given)
            argument = given[-1] if given and not starred else None
            argument = next((k.value for k in call.keywords if k.arg == parameter), argument)
            if argument is None and not _may_give(call) and parameter in names:
                continue  # left at its default
            found[call] = CallSite(call, argument)
        return list(found.values())

    def is_passed_on(self, function: Function) -> bool:
        """Whether the function itself is handed to somebody, who may call it in ways not seen here."""
        if isinstance(function, ast.Lambda):
            return True
        key = function.name, self._tree.owner(function) is not None
        if key not in self._passed_on:
            self._passed_on[key] = any(self._passes_on(node, is_method=key[1]) for node in self._read.get(key[0], ()))
        return self._passed_on[key]

    def _passes_on(self, node: ast.AST, *, is_method: bool) -> bool:
        parent = self._tree.parents[node]
        if is_method and not isinstance(node, ast.Attribute):
            return False
        return not (isinstance(parent, ast.Call) and parent.func is node) and not isinstance(parent, ast.Attribute)

    def of_instances(self, maker: str | ast.Call) -> list[ast.Call]:
        """The calls of what a class of this name (or this one constructor) makes, or of something that holds it."""
        names = self.holders(maker)
        makers = names | ({maker} if isinstance(maker, str) else set())
        found = [call for name in names for call in self._calls.get(name, ())]
        return self._in_order([*found, *(call for name in makers for call in self._calls_of_results.get(name, ()))])

    def holders(self, maker: str | ast.Call) -> frozenset[str]:
        """The last parts of names that may hold an instance, a chain with one in it, or a function that makes one."""
        if maker not in self._holders:
            makers: set[str | ast.Call] = {maker}
            if isinstance(maker, str):
                makers.update(self._derived.get(maker, ()))
            names: set[str] = set()
            done: set[str | ast.Call] = set()
            while new := (makers | names) - done:
                done |= new
                for one in new:
                    for node in self._mentioning.get(one, ()) if isinstance(one, str) else self._tree.above(one):
                        self._spread(node, makers, names)
            self._holders[maker] = frozenset(names)
        return self._holders[maker]

    def _spread(self, node: ast.AST, makers: set[str | ast.Call], names: set[str]) -> None:
        """What one step of the program hands instances to."""

        def holds(value: ast.AST | None) -> bool:
            return value is not None and self._holds(value, makers, names)

        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and holds(node.value):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names.update(name for target in targets for part in _flat(target) if (name := last_name(part)))
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension) and holds(node.iter):
            names.update(name for part in _flat(node.target) if (name := last_name(part)))
        elif isinstance(node, ast.Return) and holds(node.value):
            scope = self._tree.scope(node)
            if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
                makers.add(scope.name)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._defaults(node, holds, names)
        elif isinstance(node, ast.Call):
            for keyword in node.keywords:
                if keyword.arg and holds(keyword.value):
                    names.add(keyword.arg)
            given = [number for number, argument in enumerate(node.args) if holds(argument)]
            if (
                given
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in ("append", "add_module", "insert", "extend")
            ):
                names.add(last_name(node.func.value))
            for function, skip in self._taking(node) if given else ():
                parameters = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
                names.update(parameters[n + skip] for n in given if n + skip < len(parameters))
                if function.args.vararg is not None:
                    names.add(function.args.vararg.arg)
        names.discard("")

    def _defaults(self, node: ast.FunctionDef | ast.AsyncFunctionDef, holds: object, names: set[str]) -> None:
        assert callable(holds)
        parameters = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
        for name, default in zip(reversed(parameters), reversed(node.args.defaults), strict=False):
            if holds(default):
                names.add(name)

    def _taking(self, call: ast.Call) -> Iterator[tuple[Function, int]]:
        name = last_name(call.func)
        for function in self._program.functions_named.get(name, ()):
            yield function, 0 if self._tree.owner(function) is None or _is_static(function) else 1
        if name in self._tree.classes:
            for statement in self._tree.classes[name].body:
                if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and statement.name == "__init__":
                    yield statement, 1

    def _holds(self, value: ast.AST, makers: set[str | ast.Call], names: set[str]) -> bool:
        """Whether the value is, or contains, an instance; what an instance computes is none."""
        if isinstance(value, ast.Call):
            name = last_name(value.func)
            if name in makers or value in makers:
                return True
            cls = self._tree.classes.get(name)
            if cls is not None and not any(path_of(base).rpartition(".")[2] in _CHAINS for base in cls.bases):
                return False  # it keeps the instance to itself: its own code is looked at
            inner: list[ast.AST] = [*value.args, *(keyword.value for keyword in value.keywords)]
            if isinstance(value.func, ast.Attribute):  # a method may return its object
                inner.append(value.func.value)
            return any(self._holds(part, makers, names) for part in inner)
        if isinstance(value, ast.Name | ast.Attribute):
            return last_name(value) in names
        if isinstance(value, ast.Subscript):
            return self._holds(value.value, makers, names)
        return any(self._holds(child, makers, names) for child in ast.iter_child_nodes(value))

    def named(self, function: Function) -> Iterator[ast.Call]:
        """The calls of a function by its name, on whatever object."""
        if isinstance(function, ast.Lambda):
            return
        owner = self._tree.owner(function)
        for call in self._calls.get(function.name, ()):
            if owner is None:
                if isinstance(call.func, ast.Name):
                    home = self._tree.home(function.name, self._tree.scope(call))
                    if home is self._tree.scope(function):
                        yield call
            elif not isinstance(call.func, ast.Name) and not self._tree.dotted(call.func):
                yield call

    def _applying(self, owner: ast.ClassDef) -> list[ast.Call]:
        held = [call for name in self.holders_of_apply.get(owner.name, ()) for call in self._calls.get(name, ())]
        return self._in_order([*self._applied.get(f"{owner.name}.apply", ()), *held])

    def _in_order(self, calls: Iterable[ast.Call]) -> list[ast.Call]:
        """Each once, in the order of the file's tree."""
        return sorted(set(calls), key=self._numbers.__getitem__)

    @cached_property
    def holders_of_apply(self) -> dict[str, set[str]]:
        """`fn = Scale.apply`."""
        found: dict[str, set[str]] = {}
        for node in self._tree.parents:
            if isinstance(node, ast.Assign) and (path := path_of(node.value)).endswith(".apply"):
                found.setdefault(path.removesuffix(".apply"), set()).update(map(last_name, node.targets))
        return found

    # What is looked up by name, so that the findings of a long file do not each go through all of it

    @cached_property
    def _numbers(self) -> dict[ast.Call, int]:
        return {call: number for number, call in enumerate(self._tree.calls)}

    @cached_property
    def _calls(self) -> dict[str, list[ast.Call]]:
        return _by_name((last_name(call.func), call) for call in self._tree.calls)

    @cached_property
    def _applied(self) -> dict[str, list[ast.Call]]:
        return _by_name((path_of(call.func), call) for call in self._calls.get("apply", ()))

    @cached_property
    def _calls_of_results(self) -> dict[str, list[ast.Call]]:
        """`make()(x)`, by the name of what is called first."""
        calls = self._tree.calls
        return _by_name((last_name(call.func.func), call) for call in calls if isinstance(call.func, ast.Call))

    @cached_property
    def _read(self) -> dict[str, list[ast.AST]]:
        nodes = (node for node in self._tree.parents if isinstance(getattr(node, "ctx", None), ast.Load))
        return _by_name((last_name(node), node) for node in nodes)

    @cached_property
    def _derived(self) -> dict[str, list[str]]:
        classes = self._tree.classes.values()
        return _by_name((path_of(base).rpartition(".")[2], cls.name) for cls in classes for base in cls.bases)

    @cached_property
    def _mentioning(self) -> dict[str, list[ast.AST]]:
        """For each name, the nodes that may hand on what has it."""
        return _by_name(
            (name, node)
            for node in self._tree.parents
            for name in {last_name(inner) for part in _handed_on(node) for inner in ast.walk(part)}
        )


def _by_name(pairs: Iterable[tuple[str, _Value]]) -> dict[str, list[_Value]]:
    found: dict[str, list[_Value]] = {}
    for name, value in pairs:
        if name:
            found.setdefault(name, []).append(value)
    return found


def _handed_on(node: ast.AST) -> Iterable[ast.AST]:
    """The values that a node gives to a name, a caller or a function."""
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr | ast.Return):
        return () if node.value is None else (node.value,)
    if isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
        return (node.iter,)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return node.args.defaults
    return (*node.args, *node.keywords) if isinstance(node, ast.Call) else ()


def _flat(target: ast.AST) -> Iterator[ast.AST]:
    if isinstance(target, ast.Tuple | ast.List):
        for item in target.elts:
            yield from _flat(item)
    elif isinstance(target, ast.Starred):
        yield from _flat(target.value)
    else:
        yield target


def _may_give(call: ast.Call) -> bool:
    """Whether `*args` or `**kwargs` may give any parameter."""
    return any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords)


def _is_static(function: Function) -> bool:
    decorators = [] if isinstance(function, ast.Lambda) else function.decorator_list
    return any(path_of(decorator) == "staticmethod" for decorator in decorators)
