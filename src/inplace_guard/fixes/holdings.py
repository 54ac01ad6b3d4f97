"""What the names of a file hold of what can be called: its own modules, torch's, or nobody knows what.

Names stand for their last parts, throughout the file: `self.act`, `block.act` and the parameter `act` are one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from inplace_guard import ops
from inplace_guard.fixes.tree import last_name, path_of

if TYPE_CHECKING:
    from inplace_guard.fixes.program import Program

__all__ = ["SAME_MODULE", "Holdings"]

# Methods of a module that return it.
SAME_MODULE = {"to", "cuda", "cpu", "double", "half", "bfloat16", "float", "eval", "train", "requires_grad_", "apply"}


class Holdings:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._tree = program.tree

    def makes_new(self, called: ast.expr) -> bool:
        """Whether it is known of what is called that it hands back none of what it is given: torch modules and
        functions in variables, and what is imported. Modules of the file, and those of torch that hand something on,
        are `classes` and `passing`."""
        if self._tree.dotted(called) or (isinstance(called, ast.Name) and called.id in self._of_package):
            return True
        if isinstance(called, ast.Call):  # `nn.Linear(3, 3)(x)`
            return self._is_known(called)
        if isinstance(called, ast.Attribute):
            if path_of(called.value).partition(".")[0] in self._of_package:
                return True
            if last_name(called.value) in self._of_torch:  # `normal.sample()`
                return True
        return last_name(called) in self._known

    @cached_property
    def classes(self) -> dict[str, set[str]]:
        """Name -> the file's classes of which it may hold an instance."""
        found: dict[str, set[str]] = {}
        for name, values in self._sources.items():
            for value in values:
                if made := self.made_by(value)[0]:
                    found.setdefault(name, set()).update(made)
        while True:
            grown = False
            for name, sources in self._names.items():
                for source in sources & found.keys():
                    own = found.setdefault(name, set())
                    grown = grown or not found[source] <= own
                    own |= found[source]
            if not grown:
                return found

    @cached_property
    def passing(self) -> set[str]:
        """Names of torch modules that may hand their input itself on: Identity, Dropout, Flatten, in-place ones."""
        found = {name for name, values in self._sources.items() if any(self.made_by(value)[1] for value in values)}
        while True:
            new = {name for name, sources in self._names.items() if sources & found} - found
            if not new:
                return found
            found |= new

    @cached_property
    def given(self) -> list[tuple[str, ast.expr]]:
        """Names and what they are given."""
        values: list[tuple[str, ast.expr]] = []
        for node in self._tree.parents:
            if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    values += _pairs(target, node.value)
            elif isinstance(node, ast.arguments):
                named = [*node.posonlyargs, *node.args]
                values += [(a.arg, d) for a, d in zip(reversed(named), reversed(node.defaults), strict=False)]
            elif isinstance(node, ast.For | ast.comprehension):
                values += _looped(node.target, node.iter)
            elif isinstance(node, ast.Call):
                values += self._handed_in(node)
        return [(name, part) for name, value in values for part in self._alternatives(value)]

    def _alternatives(self, value: ast.expr, depth: int = 3) -> Iterator[ast.expr]:
        """`a if c else b`, `a or b`, and what a function of the file returns."""
        parts: list[ast.expr] = []
        if isinstance(value, ast.IfExp):
            parts = [value.body, value.orelse]
        elif isinstance(value, ast.BoolOp):
            parts = value.values
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and depth:
            for function in self._program.functions_named.get(value.func.id, ()):
                returns = (n for n in ast.walk(function) if isinstance(n, ast.Return) and n.value is not None)
                parts += [node.value for node in returns if node.value is not None]
        if not parts:
            yield value
        for part in parts:
            yield from self._alternatives(part, depth - 1 if isinstance(value, ast.Call) else depth)

    @cached_property
    def optimizers(self) -> frozenset[str]:
        """Names that hold optimizers of torch."""
        return frozenset(
            name
            for name, value in self.given
            if isinstance(value, ast.Call) and self._tree.dotted(value.func).startswith("torch.optim.")
        )

    def made_by(self, value: ast.expr) -> tuple[set[str], bool]:
        """The file's classes of which it makes an instance, and whether it makes a module that may pass its input."""
        if isinstance(value, ast.List | ast.Tuple):
            return self._made_by_all(value.elts)
        if isinstance(value, ast.ListComp | ast.GeneratorExp):
            return self.made_by(value.elt)
        if isinstance(value, ast.Starred):
            return self.made_by(value.value)
        if not isinstance(value, ast.Call):
            return set(), False
        if isinstance(value.func, ast.Name) and value.func.id in self._tree.classes:
            return {value.func.id}, False
        dotted = self._tree.dotted(value.func)
        if dotted == "torch.nn.Sequential":
            parts = [self.made_by(argument) for argument in value.args]
            return set(), all(passing or classes for classes, passing in parts)
        if dotted == "torch.nn.ModuleList":
            return self._made_by_all(value.args)
        if dotted.startswith("einops.layers."):
            return set(), True
        facts = ops.module(dotted)
        if facts is None and isinstance(value.func, ast.Attribute):  # `nn.Dropout(0.5).eval()`
            return self.made_by(value.func.value)
        if facts is None:
            return set(), False
        return set(), facts.returns != "new" or (facts.inplace and self._program.may_hold("inplace", value))

    def _made_by_all(self, values: list[ast.expr]) -> tuple[set[str], bool]:
        parts = [self.made_by(value) for value in values]
        return set[str]().union(*(classes for classes, _ in parts)), any(passing for _, passing in parts)

    def _is_known(self, value: ast.expr) -> bool:
        """Whether it is a module or function of torch, a module of the file, or a list of such."""
        if isinstance(value, ast.List | ast.Tuple):
            return all(map(self._is_known, value.elts))
        if isinstance(value, ast.ListComp | ast.GeneratorExp):
            return self._is_known(value.elt)
        if isinstance(value, ast.Starred):
            return self._is_known(value.value)
        if not isinstance(value, ast.Call):
            op = ops.lookup(self._tree.dotted(value))
            return op is not None and all(r.relation == "new" for o in op.overloads for r in o.results)
        if isinstance(value.func, ast.Name) and (cls := self._tree.classes.get(value.func.id)) is not None:
            own = any(getattr(statement, "name", "") == "forward" for statement in cls.body)
            return own or any(self._tree.dotted(base).startswith("torch.nn.") for base in cls.bases)
        dotted = self._tree.dotted(value.func)
        if dotted == "torch.nn.ModuleList":
            return all(map(self._is_known, value.args))
        if isinstance(value.func, ast.Attribute) and not dotted:  # `nn.Linear(3, 3).eval()`
            return value.func.attr in SAME_MODULE and self._is_known(value.func.value)
        return dotted == "torch.nn.Sequential" or ops.module(dotted) is not None

    @cached_property
    def _of_package(self) -> frozenset[str]:
        """What is imported relatively."""
        imports = [node for node in self._tree.parents if isinstance(node, ast.ImportFrom) and node.level]
        return frozenset(alias.asname or alias.name for node in imports for alias in node.names)

    @cached_property
    def _sources(self) -> dict[str, list[ast.expr]]:
        found: dict[str, list[ast.expr]] = {}
        for name, value in self.given:
            if not (isinstance(value, ast.Constant) and value.value is None):
                found.setdefault(name, []).append(value)
        return found

    @cached_property
    def _names(self) -> dict[str, set[str]]:
        """For each name, the names that it gets its value from."""
        return {
            name: {source for value in values if (source := last_name(value)) and not self._tree.dotted(value)}
            for name, values in self._sources.items()
        }

    @cached_property
    def _known(self) -> frozenset[str]:
        """Names that hold nothing but what is known."""
        bad = {
            name
            for name, values in self._sources.items()
            if not all(self._is_known(value) or last_name(value) in self._sources for value in values)
        }
        while True:
            new = {name for name, sources in self._names.items() if sources & bad} - bad
            if not new:
                return frozenset(self._sources.keys() - bad)
            bad |= new

    @cached_property
    def _of_torch(self) -> frozenset[str]:
        """Names that hold objects of torch."""

        def is_made(value: ast.expr) -> bool:
            return isinstance(value, ast.Call) and self._tree.dotted(value.func).startswith("torch.")

        return frozenset(name for name, values in self._sources.items() if all(map(is_made, values)))

    def _handed_in(self, call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
        """What a call of the file's own function, or constructor, gives its parameters."""
        name = last_name(call.func)
        cls = self._tree.classes.get(name)
        named = "__init__" if cls is not None else name
        for function in self._program.functions_named.get(named, ()):
            owner = self._tree.owner(function)
            if isinstance(function, ast.Lambda) or (cls is not None and owner is not cls):
                continue
            names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
            skip = 0 if owner is None else 1
            for parameter, given in zip(names[skip:], call.args, strict=False):
                if isinstance(given, ast.Starred):
                    break
                yield parameter, given
            yield from ((keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg in names)


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Tuple | ast.List):
        if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts):
            for own, part in zip(target.elts, value.elts, strict=True):
                yield from _pairs(own, part)
        else:
            yield from ((name, value) for own in target.elts if (name := last_name(own)))
    elif name := last_name(target):
        yield name, value


def _looped(target: ast.expr, iterable: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The names of a loop, and the lists that they are items of."""
    if isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Name) and isinstance(target, ast.Tuple):
        parts = [None, *iterable.args] if iterable.func.id == "enumerate" else list(iterable.args)
        for own, part in zip(target.elts, parts, strict=False):
            if part is not None:
                yield from _looped(own, part)
    elif name := last_name(target):
        yield name, iterable
