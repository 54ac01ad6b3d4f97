"""Classes of the file: bases, methods, and what kind of thing their instances are."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inplace_guard.analysis.frames import Frame
    from inplace_guard.analysis.scope import Scope

MODES = {"torch.no_grad": "no_grad", "torch.inference_mode": "inference", "torch.enable_grad": "enable_grad"}
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


class ClassInfo:
    """One class statement of the file `scope`; `frame` is the function around it, if there is one. `bases` are classes
    that can be seen; `outside` the dotted names of the others ("" where a base cannot be named)."""

    def __init__(
        self, node: ast.ClassDef, scope: Scope, frame: Frame | None, bases: list[ClassInfo], outside: list[str]
    ) -> None:
        self.node = node
        self.scope = scope
        self.name = node.name
        self.frame = frame
        self.bases = bases
        self.outside = outside
        self.methods: dict[str, FunctionNode] = {}
        self.values: dict[str, ast.expr] = {}
        self.fields: list[str] = []
        self.setters: dict[str, FunctionNode] = {}
        for statement in node.body:
            if isinstance(statement, FunctionNode):
                # A property's setter has the same name as its getter; the getter is what reads see.
                if not has_setter(statement):
                    self.methods[statement.name] = statement
                elif decorates(statement, "setter"):
                    self.setters[statement.name] = statement
            elif isinstance(statement, ast.Assign):
                for target in statement.targets:
                    if isinstance(target, ast.Name):
                        self.values[target.id] = statement.value
            elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                self.fields.append(statement.target.id)
                if statement.value is not None:
                    self.values[statement.target.id] = statement.value
        self.mro: list[ClassInfo] = list(dict.fromkeys([self, *(info for base in bases for info in base.mro)]))
        self.all_outside: list[str] = list(
            dict.fromkeys([*outside, *(name for base in bases for name in base.all_outside)])
        )
        self.is_function = "torch.autograd.Function" in self.all_outside
        self.is_module = not self.is_function and self.looks_like_module()
        self.is_namedtuple = any(dotted in ("typing.NamedTuple", "NamedTuple") for dotted in self.all_outside)
        self.is_dataclass = (
            self.is_namedtuple
            or any("dataclass" in ast.unparse(d) for d in node.decorator_list)
            or any(dotted in ("typing.NamedTuple", "torch.NamedTuple") for dotted in outside)
        )
        # The decorator makes an __init__ that takes the fields, unless the class itself has one.
        makers = (info for info in self.mro if info.is_dataclass or "__init__" in info.methods)
        self.made_of_fields = any("__init__" not in info.methods for info in list(makers)[:1])
        # Read by number and by key, too: of a dataclass, what it inherits from says so (a dict, most often).
        self.is_record = self.is_dataclass and bool(self.all_outside)
        self.all_fields = list(dict.fromkeys(name for info in reversed(self.mro) for name in info.fields))

    def looks_like_module(self) -> bool:
        """A torch.nn base, or a base from elsewhere together with a forward method: nothing else is called so."""
        if any(dotted == "torch.nn.Module" or dotted.startswith("torch.nn.") for dotted in self.all_outside):
            return True
        return bool(self.all_outside) and any("forward" in info.methods for info in self.mro)

    @property
    def opaque(self) -> bool:
        """It inherits from something that cannot be seen."""
        return any(not dotted.startswith(("torch.", "abc.", "typing.")) for dotted in self.all_outside)

    def method(self, name: str, after: ClassInfo | None = None) -> tuple[FunctionNode, ClassInfo] | None:
        """The method of this name, in the classes behind `after` if it is given (super)."""
        mro = self.mro
        if after is not None and after in mro:
            mro = mro[mro.index(after) + 1 :]
        for info in mro:
            if name in info.methods:
                return info.methods[name], info
        return None

    def value(self, name: str) -> tuple[ast.expr, ClassInfo] | None:
        for info in self.mro:
            if name in info.values:
                return info.values[name], info
        return None


def has_setter(node: FunctionNode) -> bool:
    return decorates(node, "setter") or decorates(node, "deleter")


def decorates(node: FunctionNode, kind: str) -> bool:
    return any(isinstance(d, ast.Attribute) and d.attr == kind for d in node.decorator_list)


def decorated(scope: Scope, node: FunctionNode, *names: str) -> bool:
    """Whether a decorator of this (dotted or plain) name, called or not, is on the function."""
    for decorator in node.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        dotted = scope.dotted(target)
        plain = target.id if isinstance(target, ast.Name) else target.attr if isinstance(target, ast.Attribute) else ""
        if (dotted or plain) in names or (dotted is None and plain in names):
            return True
    return False


def copies_saves(scope: Scope, node: FunctionNode | ast.Lambda) -> bool:
    """Whether a decorator has what is saved in the function copied before it is written."""
    if isinstance(node, ast.Lambda) or not node.decorator_list:
        return False
    return decorated(scope, node, "torch.autograd.graph.allow_mutation_on_saved_tensors")


def grad_mode(scope: Scope, node: FunctionNode | ast.Lambda) -> str | None:
    """The mode in which decorators run the function: "no_grad", "inference", "enable_grad"."""
    if isinstance(node, ast.Lambda) or not node.decorator_list:
        return None
    for dotted, mode in MODES.items():
        if decorated(scope, node, dotted):
            return mode
    return None
