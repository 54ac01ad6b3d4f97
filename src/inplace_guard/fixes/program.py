"""One file as a whole: its functions' flows, what they hand back and keep, and who calls them."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from inplace_guard import ops
from inplace_guard.fixes.flow import Flow
from inplace_guard.fixes.holdings import SAME_MODULE, Holdings
from inplace_guard.fixes.kinds import Kinds
from inplace_guard.fixes.liveness import Liveness
from inplace_guard.fixes.memory import Thing, base_of, overlap
from inplace_guard.fixes.tree import Function, Tree, last_name, path_of

__all__ = ["Place", "Program", "Summary"]

# Called for what they do, and keeping nothing that would have to see a later write.
_PRINTING = {"print", "warn", "info", "debug", "warning", "error", "assert_close", "assert_allclose", "write",
             "backward", "save_for_backward", "mark_dirty", "mark_non_differentiable", "manual_backward"}  # fmt: skip

_PLAIN_DECORATORS = {"staticmethod", "classmethod", "property", "abstractmethod", "override", "overload", "setter",
                     "contextmanager", "asynccontextmanager", "custom_fwd", "custom_bwd"}  # fmt: skip

_SETTINGS = {"training", "config", "weight", "bias", "device", "dtype", "num_features", "out_features", "in_features"}


# Which arguments a parameter stands for: a position, all from one on (`*args`), or all keywords (`**kwargs`).
Place = int | slice | Literal["**"] | None


_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add radd iadd",
    ast.Sub: "sub rsub isub",
    ast.Mult: "mul rmul imul",
    ast.MatMult: "matmul rmatmul imatmul",
    ast.Div: "truediv rtruediv itruediv",
    ast.FloorDiv: "floordiv rfloordiv ifloordiv",
    ast.Mod: "mod rmod imod",
    ast.Pow: "pow rpow ipow",
    ast.LShift: "lshift rlshift ilshift",
    ast.RShift: "rshift rrshift irshift",
    ast.BitAnd: "and rand iand",
    ast.BitOr: "or ror ior",
    ast.BitXor: "xor rxor ixor",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.In: "contains",
    ast.NotIn: "contains",
    ast.Subscript: "getitem",
}


@dataclass(slots=True)
class Summary:
    """For a call: the parameters whose memory the result may share, and those that may be kept. The values are their
    positions among the call's arguments; "*" stands for memory from elsewhere. `later`: what runs is a generator or a
    coroutine, which holds all that it is given."""

    returned: dict[str, Place] = field(default_factory=dict)
    kept: dict[str, Place] = field(default_factory=dict)
    later: bool = False


class Program:
    def __init__(self, module: ast.Module) -> None:
        self.tree = Tree(module)
        self.kinds = Kinds(self.tree)
        self._flows: dict[ast.AST, Flow | None] = {}
        self._lives: dict[tuple[ast.AST, bool], Liveness] = {}

    def flow(self, scope: ast.AST) -> Flow | None:
        """None while the flow of this scope is being computed (recursion)."""
        if scope not in self._flows:
            self._flows[scope] = None
            self._flows[scope] = Flow(self, scope)
        return self._flows[scope]

    def liveness(self, scope: ast.AST, *, writes_read: bool = True) -> Liveness:
        key = (scope, writes_read)
        if key not in self._lives:
            self._lives[key] = Liveness(scope, self.tree.captured(scope), writes_read=writes_read)
        return self._lives[key]

    def declared(self, scope: ast.AST) -> frozenset[str]:
        """The names that the scope declares global or nonlocal: others read them."""
        return self._declared.get(scope, frozenset())

    @cached_property
    def _declared(self) -> dict[ast.AST, frozenset[str]]:
        found: dict[ast.AST, frozenset[str]] = {}
        for node in self.tree.parents:
            if isinstance(node, ast.Global | ast.Nonlocal):
                scope = self.tree.scope(node)
                found[scope] = found.get(scope, frozenset()) | frozenset(node.names)
        return found

    def is_wrapped(self, function: Function) -> bool:
        """Whether a decorator of unknown content stands between the function and its callers."""
        decorators = [] if isinstance(function, ast.Lambda) else function.decorator_list
        called = [decorator.func if isinstance(decorator, ast.Call) else decorator for decorator in decorators]
        return any(
            not self.tree.dotted(node).startswith("torch.")
            and path_of(node).rpartition(".")[2] not in _PLAIN_DECORATORS
            for node in called
        )

    def is_printing(self, call: ast.Call) -> bool:
        name = path_of(call.func).rpartition(".")[2]
        return name in _PRINTING and name not in self.functions_named

    def is_steady(self, bounds: list[ast.expr], scope: ast.AST) -> bool:
        """Whether these expressions have one value throughout the scope: constants, attributes, names bound once."""
        names: list[str] = []
        for node in (inner for bound in bounds for inner in ast.walk(bound)):
            if isinstance(node, ast.Call):
                return False
            if isinstance(node, ast.Name):
                names.append(node.id)
        stores = [n.id for n in ast.walk(scope) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        parameters = {n.arg for n in ast.walk(scope) if isinstance(n, ast.arg)}
        return all(stores.count(name) + (name in parameters) <= 1 for name in names)

    def is_context(self, path: str, scope: ast.AST) -> bool:
        """Whether the path belongs to the `ctx` of a custom Function: what it keeps must not see later writes."""
        owner = self.tree.owner(scope)
        if owner is None or not any(path_of(base).rpartition(".")[2] == "Function" for base in owner.bases):
            return False
        assert isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef)
        first = [a.arg for a in (*scope.args.posonlyargs, *scope.args.args)][:1]
        return path.partition(".")[0] in first

    @cached_property
    def hooks_outputs(self) -> bool:
        """Whether the file hooks the calls of modules: what they are given and return, a hook may keep."""
        return any(last_name(call.func).endswith(("forward_hook", "forward_pre_hook")) for call in self.tree.calls)

    def is_object(self, thing: Thing) -> bool:
        """Whether it was made by the constructor of a class that is not torch's."""
        if thing[0] not in ("list", "old list") or not isinstance(thing[1], ast.Call):
            return False
        name = path_of(thing[1].func).rpartition(".")[2]
        return name[:1].isupper() and not self.tree.dotted(thing[1].func).startswith("torch.")

    @cached_property
    def read_objects(self) -> frozenset[str]:
        """The paths of what has an attribute that is read, and not called: it may hold what it returned."""
        return frozenset(
            path_of(node.value)
            for node in self.tree.parents
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and node.attr not in _SETTINGS
            if self._is_tensor_read(node)
        )

    def _is_tensor_read(self, node: ast.Attribute) -> bool:
        """`model.features`, or `model.features.sum()`."""
        parent = self.tree.parents[node]
        if isinstance(parent, ast.Attribute):
            call = self.tree.parents[parent]
            called = isinstance(call, ast.Call) and call.func is parent and parent.attr not in SAME_MODULE
            return called and ops.method(parent.attr) is not None
        return not (isinstance(parent, ast.Call) and parent.func is node)

    def may_hold(self, condition: str, call: ast.Call) -> bool:
        """Whether a write condition of the op table may hold: `inplace`, unless it is left out or False."""
        if condition != "inplace":
            return True
        for keyword in call.keywords:
            if keyword.arg in ("inplace", None):
                return not (isinstance(keyword.value, ast.Constant) and keyword.value.value is False)
        return any(isinstance(a, ast.Constant) and a.value is True for a in call.args) or any(
            isinstance(a, ast.Starred) for a in call.args
        )

    @cached_property
    def made_by_library(self) -> set[str]:
        """Names and attributes of self that hold such a result: `take = operator.itemgetter(0)`."""
        found: set[str] = set()
        for node in self.tree.parents:
            if isinstance(node, ast.Assign):
                value, targets = node.value, node.targets
            elif isinstance(node, ast.withitem) and node.optional_vars is not None:
                value, targets = node.context_expr, [node.optional_vars]
            else:
                continue
            if isinstance(value, ast.Call) and self.is_made_by_library(value):
                found.update(path for target in targets if (path := path_of(target)))
        return found

    def is_made_by_library(self, call: ast.Call) -> bool:
        """Whether a function of the standard library is called, whose result may be a function: no module is."""
        return self.tree.dotted(call.func).partition(".")[0] in sys.stdlib_module_names

    # What a call runs

    def summary(self, call: ast.Call, scope: ast.AST) -> Summary | None:
        """What is known of the file's own function or module that is called; None for what lies elsewhere."""
        found: list[Summary] = [self.summarise(function, skip) for function, skip in self.callees(call, scope)]
        found += [Summary({"input": 0}) for name in [last_name(call.func)] if name in self.holdings.passing]
        if isinstance(call.func, ast.Call):  # `nn.Identity()(x)`
            classes, passing = self.holdings.made_by(call.func)
            methods = [f for name in classes for run in ("forward", "__call__") for f in self._methods(name, run)]
            found += [self.summarise(f, 1) for f in methods]
            found += [Summary({"input": 0})] * passing
        if not found:
            return None
        total = Summary()
        for one in found:
            total.returned |= one.returned
            total.kept |= one.kept
            total.later |= one.later
        return total

    def callees(self, call: ast.Call, scope: ast.AST) -> Iterator[tuple[Function, int]]:
        """The functions of this file that a call may run, and how many parameters come before its arguments."""
        function = call.func
        if isinstance(function, ast.Name):
            home = self.tree.home(function.id, scope)
            yield from ((f, 0) for f in self.functions_named.get(function.id, ()) if self.tree.scope(f) is home)
        elif isinstance(function, ast.Attribute):
            owner = path_of(function.value)
            for method in self.functions_named.get(function.attr, ()):
                if (cls := self.tree.owner(method)) is not None:
                    yield method, 0 if owner == cls.name or _is_static(method) else 1
            if function.attr == "apply" and owner in self.tree.classes:
                yield from ((f, 1) for f in self._methods(owner, "forward"))
        for cls_name in self.holdings.classes.get(last_name(function), ()):
            yield from ((f, 1) for run in ("forward", "__call__") for f in self._methods(cls_name, run))

    def _methods(self, cls_name: str, name: str) -> list[Function]:
        cls = self.tree.classes[cls_name]
        return [f for f in self.functions_named.get(name, ()) if self.tree.owner(f) is cls]

    def summarise(self, function: Function, skip: int) -> Summary:
        flow = self.flow(function)
        summary = Summary(later=function in self._suspended)
        if flow is None:
            return summary
        names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
        places: dict[str, Place] = {name: number - skip for number, name in enumerate(names) if number >= skip}
        if function.args.vararg is not None:
            places[function.args.vararg.arg] = slice(max(len(names) - skip, 0), None)
        if function.args.kwarg is not None:
            places[function.args.kwarg.arg] = "**"
        held = list(flow.after.values())
        kept = frozenset().union(*[state.escaped for state in held])
        declared = {
            name for node in ast.walk(function) if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names
        }
        for state in held:
            paths = [
                path
                for path in state.names
                if path in declared or ("." in path and not self.is_context(path, function))
            ]
            kept = kept.union(*[state.names[path] for path in paths])
        kept = flow.held(kept)
        if any(overlap(one, other) for one in flow.returned for other in kept):
            summary.returned["*"] = None  # it is kept as well
        if self.is_wrapped(function):
            summary.returned["*"] = None  # a cache may hold what it returned
        for things, into in ((flow.returned, summary.returned), (kept, summary.kept)):
            for base in {base_of(thing) for thing in things}:
                if base[0] == "param":
                    into[base[1]] = places.get(base[1])
                elif into is summary.returned and base[0] in ("attr", "global", "outside"):
                    into["*"] = None
        return summary

    @cached_property
    def _suspended(self) -> set[ast.AST]:
        """Generators and coroutines: a call runs nothing of them yet."""
        yielding = (node for node in self.tree.parents if isinstance(node, ast.Yield | ast.YieldFrom))
        return {self.tree.scope(node) for node in yielding} | {
            function for function in self.tree.functions if isinstance(function, ast.AsyncFunctionDef)
        }

    @cached_property
    def operators(self) -> dict[type[ast.AST], list[tuple[Function, bool]]]:
        """The methods of the file's classes that an operator may run, and whether its right operand is their object."""
        found: dict[type[ast.AST], list[tuple[Function, bool]]] = {}
        for name, functions in self.functions_named.items():
            plain = name[2:-2] if name.startswith("__") and name.endswith("__") else ""
            for op in (op for op, names in _OPERATORS.items() if plain in names.split()):
                reflected = plain == "contains" or (plain[:1] == "r" and plain != "rshift")
                methods = [f for f in functions if self.tree.owner(f) is not None]
                found.setdefault(op, []).extend((method, reflected) for method in methods)
        return found

    @cached_property
    def functions_named(self) -> dict[str, list[Function]]:
        found: dict[str, list[Function]] = {}
        for function in self.tree.functions:
            if not isinstance(function, ast.Lambda):
                found.setdefault(function.name, []).append(function)
        return found

    @cached_property
    def holdings(self) -> Holdings:
        return Holdings(self)


def _is_static(function: Function) -> bool:
    decorators = [] if isinstance(function, ast.Lambda) else function.decorator_list
    return any(path_of(decorator) == "staticmethod" for decorator in decorators)
