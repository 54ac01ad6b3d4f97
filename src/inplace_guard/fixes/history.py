"""What a new tensor would not have: the history that is not recorded under no_grad, the gradient of a leaf."""

from __future__ import annotations

import ast

from inplace_guard.fixes.tree import Tree, last_name, path_of

__all__ = ["has_no_history", "is_leaf", "is_unrecorded"]

_MODES = {"torch.no_grad", "torch.inference_mode", "torch.autograd.no_grad", "torch.autograd.inference_mode"}
_MAKERS = ("zeros", "ones", "full", "rand", "empty", "eye", "arange", "linspace", "tensor")
_TELLING = ("grad", "requires_grad_", "requires_grad", "retain_grad")


def is_unrecorded(tree: Tree, node: ast.AST) -> bool:
    """Whether the code around the node switches grad mode off."""
    for parent in tree.above(node):
        if isinstance(parent, ast.With | ast.AsyncWith):
            if any(_switches_off(tree, item.context_expr) for item in parent.items):
                return True
        elif isinstance(parent, ast.FunctionDef | ast.AsyncFunctionDef):
            decorated = any(_switches_off(tree, decorator) for decorator in parent.decorator_list)
            return decorated or any(_enters(tree, statement) for statement in ast.walk(parent))
    return False


def _enters(tree: Tree, node: ast.AST) -> bool:
    """`stack.enter_context(torch.no_grad())`, `torch.set_grad_enabled(False)`."""
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call):
        return False
    entered = call.args if last_name(call.func) == "enter_context" else []
    off = tree.dotted(call.func).endswith("set_grad_enabled") and _switches_off(tree, call)
    return off or any(_switches_off(tree, argument) for argument in entered)


def has_no_history(tree: Tree, path: str, owner: ast.ClassDef | None) -> bool:
    """Whether an attribute of self is a buffer of plain numbers wherever its class gives it a value."""
    if owner is None or not path.startswith("self."):
        return False
    found = False
    for node in ast.walk(owner):
        value: ast.expr | None = None
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            value = node.value if any(path_of(target) == path for target in targets) else None
        elif isinstance(node, ast.Call) and path_of(node.func) == "self.register_buffer" and len(node.args) > 1:
            name = node.args[0]
            named = isinstance(name, ast.Constant) and name.value == path.removeprefix("self.")
            value = node.args[1] if named else None
        if value is not None:
            if not _is_numbers(tree, value) and not is_unrecorded(tree, node):
                return False
            found = True
    return found


def _is_numbers(tree: Tree, node: ast.expr) -> bool:
    """A constant, or a tensor made from nothing: `torch.zeros(n)`, `F.normalize(torch.randn(n), dim=0)`."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.BinOp):
        return _is_numbers(tree, node.left) and _is_numbers(tree, node.right)
    if not isinstance(node, ast.Call):
        return False
    dotted = tree.dotted(node.func)
    if dotted.startswith("torch.") and dotted.partition(".")[2].startswith(_MAKERS):
        return not any(keyword.arg == "requires_grad" for keyword in node.keywords)
    if dotted.startswith("torch."):
        return bool(node.args) and all(_is_numbers(tree, argument) for argument in node.args)
    return isinstance(node.func, ast.Attribute) and not dotted and _is_numbers(tree, node.func.value)


def _switches_off(tree: Tree, node: ast.AST) -> bool:
    """`torch.no_grad()`, something that has it in it, a variable that it was given to, a function that enters it."""
    for inner in ast.walk(node):
        if not isinstance(inner, ast.expr):
            continue
        dotted = tree.dotted(inner)
        call = tree.parents.get(inner)
        if dotted.endswith("set_grad_enabled"):
            first = call.args[0] if isinstance(call, ast.Call) and call.func is inner and call.args else None
            if not (isinstance(first, ast.Constant) and first.value is True):
                return True
        elif dotted in _MODES:
            return True
    called = node.func if isinstance(node, ast.Call) else node
    assert isinstance(called, ast.expr)
    path = path_of(called)
    return bool(path) and not tree.dotted(called) and any(_gives_a_mode(tree, other, path) for other in tree.parents)


def _gives_a_mode(tree: Tree, node: ast.AST, path: str) -> bool:
    """Whether the node is where a path gets such a mode: `path = torch.no_grad()`, or a generator that enters one."""
    if isinstance(node, ast.Assign):
        return any(path_of(target) == path for target in node.targets) and _names_a_mode(tree, node.value)
    if isinstance(node, ast.ClassDef):  # a context manager of its own
        return node.name == path.rpartition(".")[2] and _names_a_mode(tree, node)
    if not isinstance(node, ast.FunctionDef) or node.name != path.rpartition(".")[2]:
        return False
    return any(isinstance(inner, ast.Yield) for inner in ast.walk(node)) and _names_a_mode(tree, node)


def _names_a_mode(tree: Tree, node: ast.AST) -> bool:
    dotted = [tree.dotted(inner) for inner in ast.walk(node) if isinstance(inner, ast.expr)]
    return any(name in _MODES or name.endswith("set_grad_enabled") for name in dotted)


def is_leaf(tree: Tree, path: str, scope: ast.AST) -> bool:
    """Whether the code shows that a variable has a gradient of its own: it is made so, or its gradient is read."""
    for node in ast.walk(scope):
        if isinstance(node, ast.Attribute) and node.attr in _TELLING and path_of(node.value) == path:
            return True
        if isinstance(node, ast.Assign) and any(path_of(target) == path for target in node.targets):
            for inner in ast.walk(node.value):
                if isinstance(inner, ast.keyword) and inner.arg == "requires_grad":
                    return True
                if isinstance(inner, ast.Attribute) and inner.attr == "Parameter":
                    return True
                # `x.clone().requires_grad_()` is a leaf; `f(w.requires_grad_())` is not
                if isinstance(inner, ast.Attribute) and inner.attr == "requires_grad_" and inner is _called(node.value):
                    return True
    return False


def _called(value: ast.expr) -> ast.expr | None:
    return value.func if isinstance(value, ast.Call) else None
