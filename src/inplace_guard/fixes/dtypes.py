"""Whether the out-of-place form may have another dtype: in place, the left operand's dtype stays."""

from __future__ import annotations

import ast

from inplace_guard import ops
from inplace_guard.fixes.context import Context
from inplace_guard.fixes.program import Program
from inplace_guard.fixes.tree import Function, last_name, path_of, stored_by
from inplace_guard.fixes.verdict import SAFE, Verdict

__all__ = ["judge_dtype"]

_RANKS = {"half": 1, "float16": 1, "bfloat16": 1, "float": 2, "float32": 2, "double": 3, "float64": 3}
_WHOLE = {"long", "int", "short", "int64", "int32", "int16", "int8", "uint8", "bool"}
_WHOLE_MAKERS = {"torch.arange", "torch.randint", "torch.randperm", "torch.bincount", "torch.argmax", "torch.nonzero"}
_DEPTH = 3


def judge_dtype(
    context: Context, left: ast.expr, right: list[ast.expr], statement: ast.stmt, *, own: bool = True
) -> Verdict:
    """Doubtful where the code names a dtype that the other side may not have. Without `own`, the left side is none of
    the operands, as with `out=`."""
    program = context.program
    scope = program.tree.scope(statement)
    tensors = [operand for operand in right if not _is_number(program, operand, scope)]
    if not tensors:
        return SAFE
    for parent in program.tree.above(statement):
        if isinstance(parent, ast.With) and any("autocast" in ast.dump(item.context_expr) for item in parent.items):
            return Verdict.doubt("under autocast the two sides may have different dtypes")
    here = _named(context, left, scope, _DEPTH)
    there: set[str] = set().union(*[_named(context, operand, scope, _DEPTH) for operand in tensors])
    if here == there and len(here) < 2:
        return SAFE
    if here & _WHOLE:
        return Verdict.doubt("the left side is not a floating-point tensor, whose dtype the write in place keeps")
    lowest = min((_RANKS.get(name, 0) for name in here), default=0)
    other = max((_RANKS.get(name, 0) for name in there), default=0)
    if other > lowest or (lowest == 1 and here != there) or (not own and here):
        return Verdict.doubt("the two sides may have different dtypes, and the write in place keeps the left one")
    return SAFE


def _named(context: Context, node: ast.expr, scope: ast.AST, depth: int) -> set[str]:
    """The dtypes that an expression names, or the assignments of the names in it."""
    program = context.program
    if isinstance(node, ast.Name) or path_of(node).startswith("self."):
        values = _given(context, path_of(node), scope) if depth else []
        return set().union(*[_named(context, value, where, depth - 1) for value, where in values])
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        dotted = program.tree.dotted(node.func)
        given = [a for a in (*node.args, *(k.value for k in node.keywords)) if _dtype(program, a)]
        if given:
            return {_dtype(program, argument) for argument in given}
        if name in ("half", "bfloat16", "float", "double", "long", "int", "short", "bool") and not node.args:
            return {name}
        if dotted in ("torch.from_numpy", "torch.as_tensor") or dotted.startswith("numpy."):
            return {"double"}
        if dotted in _WHOLE_MAKERS:
            return {"long"}
        if dotted.startswith("torch."):  # indices among the arguments say nothing of the result
            return set().union(*[_named(context, part, scope, depth) for part in node.args]) - _WHOLE
        if depth and (functions := [function for function, _ in program.callees(node, scope)]):
            returned = [(n.value, f) for f in functions for n in ast.walk(f) if isinstance(n, ast.Return) and n.value]
            return set().union(*[_named(context, value, function, depth - 1) for value, function in returned])
        own = path_of(node.func).startswith("self.")
        if isinstance(node.func, ast.Attribute) and ops.method(node.func.attr) is not None and not own:
            return _named(context, node.func.value, scope, depth)
        return _of_module(context, node, scope, depth)
    if isinstance(node, ast.BinOp):
        return _named(context, node.left, scope, depth) | _named(context, node.right, scope, depth)
    if isinstance(node, ast.Tuple | ast.List):
        return set().union(*[_named(context, item, scope, depth) for item in node.elts])
    if isinstance(node, ast.UnaryOp):
        return _named(context, node.operand, scope, depth)
    if isinstance(node, ast.Subscript):
        return _named(context, node.value, scope, depth)
    return set()


def _of_module(context: Context, call: ast.Call, scope: ast.AST, depth: int) -> set[str]:
    """A module's result has the dtype of its parameters, or of what it is given."""
    program, called = context.program, call.func
    while isinstance(called, ast.Subscript):
        called = called.value
    path = path_of(called)
    made = [value for value, _ in _given(context, path, scope)] if path == last_name(called) or "self." in path else []
    named = {name for value in made for node in ast.walk(value) if (name := _conversion(program, node))}
    given = [_named(context, argument, scope, depth) for argument in call.args]
    return named | set().union(*given) - _WHOLE | _of_all_modules(program)


def _of_all_modules(program: Program) -> set[str]:
    """The dtypes that the file converts modules to: `net.half()` alone, `Net().double()`, `net = net.double()`."""
    called = {last_name(call.func) for call in program.tree.calls}
    found: set[str] = set()
    for call in program.tree.calls:
        if not (name := _conversion(program, call)) or not isinstance(call.func, ast.Attribute):
            continue
        of = call.func.value
        maker = last_name(of.func) if isinstance(of, ast.Call) else ""
        alone = isinstance(program.tree.parents.get(call), ast.Expr)
        if alone or maker[:1].isupper() or maker in program.tree.classes or last_name(of) in called:
            found.add(name)
    return found - {"float", "float32"}


def _conversion(program: Program, node: ast.AST) -> str:
    """The dtype that a call names for what it makes or converts."""
    if not isinstance(node, ast.Call):
        return ""
    given = [name for a in (*node.args, *(k.value for k in node.keywords)) if (name := _dtype(program, a))]
    if not given and isinstance(node.func, ast.Attribute) and node.func.attr in _RANKS and not node.args:
        given = [node.func.attr]
    return given[0] if given and given[0] in _RANKS else ""


def _given(context: Context, path: str, scope: ast.AST) -> list[tuple[ast.expr, ast.AST]]:
    """The values that a variable or an attribute of self is given, and where they are computed."""
    tree = context.tree
    name = path.removeprefix("self.")
    where = tree.owner(scope) if path != name else tree.home(name, scope)
    found: list[tuple[ast.expr, ast.AST]] = []
    for node in ast.walk(where) if where is not None else ():
        if isinstance(node, ast.Assign) and path in stored_by(*node.targets):
            found.append((node.value, tree.scope(node)))
        elif path != name and isinstance(node, ast.Call) and path_of(node.func) == "self.register_buffer":
            found += [
                (value, tree.scope(node))
                for key, value in zip(node.args[:1], node.args[1:2], strict=False)
                if isinstance(key, ast.Constant) and key.value == name
            ]
    if path == name and isinstance(where, Function) and name in tree.local(where):
        sites = context.judge.callers.of(where, name)
        found += [(site.argument, tree.scope(site.call)) for site in sites if site.argument is not None]
    return found


def _dtype(program: Program, node: ast.expr) -> str:
    dotted = program.tree.dotted(node)
    name = dotted.removeprefix("torch.")
    return name if dotted.startswith("torch.") and (name in _RANKS or name in _WHOLE) else ""


def _is_number(program: Program, node: ast.expr, scope: ast.AST) -> bool:
    """Python numbers do not change a tensor's dtype within its kind."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.UnaryOp):
        return _is_number(program, node.operand, scope)
    if isinstance(node, ast.BinOp):
        return _is_number(program, node.left, scope) and _is_number(program, node.right, scope)
    if isinstance(node, ast.Call):
        called = program.tree.dotted(node.func) or path_of(node.func)
        last = called.rpartition(".")[2]
        return (
            called.startswith("math.") or called in ("len", "int", "float", "abs", "round") or last in ("item", "numel")
        )
    if isinstance(node, ast.Name):
        return _annotated_number(node.id, scope)
    return False


def _annotated_number(name: str, scope: ast.AST) -> bool:
    arguments = getattr(scope, "args", None)
    if not isinstance(arguments, ast.arguments):
        return False
    named = [*arguments.posonlyargs, *arguments.args]
    defaults = dict(zip(reversed([a.arg for a in named]), reversed(arguments.defaults), strict=False))
    for argument in (*named, *arguments.kwonlyargs):
        if argument.arg == name:
            annotation = path_of(argument.annotation) if argument.annotation is not None else ""
            default = defaults.get(name)
            return annotation in ("float", "int") or (
                isinstance(default, ast.Constant) and isinstance(default.value, int | float)
            )
    return False
