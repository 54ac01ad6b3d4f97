"""Whether `self.h` may get a new tensor instead of a write into the old one."""

from __future__ import annotations

import ast

from inplace_guard import ops
from inplace_guard.fixes.history import is_leaf
from inplace_guard.fixes.program import Program
from inplace_guard.fixes.tree import last_name, names_in, path_of, stored_by
from inplace_guard.fixes.verdict import SAFE, Verdict

__all__ = ["judge_attribute"]


def judge_attribute(program: Program, path: str, scope: ast.AST) -> Verdict:
    root, _, attribute = path.rpartition(".")
    owner = program.tree.owner(scope)
    if root != "self" or owner is None:
        return Verdict.refuse(f"what `{path}` is cannot be seen here: it may be a parameter, or shared")
    found = SAFE
    assigned = False
    for node in (inner for cls in _family(program, owner) for inner in ast.walk(cls)):
        if isinstance(node, ast.FunctionDef) and node.name == attribute and program.tree.owner(node) is owner:
            return Verdict.refuse(f"`{path}` is a property or method")
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(path_of(target) == path for target in targets):
                assigned = True
                found = found.worse(_origin(program, path, node.value))
            for target in targets:
                if not isinstance(target, ast.Tuple | ast.List) or path not in stored_by(target):
                    continue
                assigned = True
                given = node.value.elts if isinstance(node.value, ast.Tuple | ast.List) else []
                if len(given) == len(target.elts):
                    own = [value for part, value in zip(target.elts, given, strict=True) if path in stored_by(part)]
                    found = found.worse(_origin(program, path, own[0]))
                else:
                    found = found.worse(Verdict.doubt(f"line {node.lineno} gives `{path}` one of several values"))
            if node in owner.body and any(path_of(target) == attribute for target in targets):
                assigned = True
                found = found.worse(Verdict.doubt(f"line {node.lineno} makes one tensor for all instances", held=True))
            # A view in a variable of a method ends with the method; what it is in this one, the flow knows.
            parts = [part for t in targets for part in (t.elts if isinstance(t, ast.Tuple) else [t])]
            own = [t for t in parts if isinstance(t, ast.Name) or path_of(getattr(t, "value", t)) == path]
            if any(path in names_in(value) for value in _bare(node.value, views=len(own) < len(parts))):
                found = found.worse(Verdict.doubt(f"line {node.lineno} gives `{path}` another name", held=True))
        elif isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            if name in ("register_buffer", "register_parameter") and _names(node, attribute):
                assigned = True
                value = (
                    node.args[1]
                    if len(node.args) > 1
                    else next((k.value for k in node.keywords if k.arg != "name"), None)
                )
                if name == "register_parameter":
                    return _parameter(path)
                found = found.worse(_origin(program, path, value) if value is not None else SAFE)
        elif isinstance(node, ast.Return) and any(path in names_in(value) for value in _bare(node.value)):
            found = found.worse(
                Verdict.doubt(f"line {node.lineno} returns `{path}`, and the caller may still hold it", held=True)
            )
    if not assigned:
        return Verdict.refuse(
            f"what `{path}` is cannot be seen in its class: a new tensor may not take the place of a parameter"
        )
    found = found.worse(_read_from_outside(program, path, attribute))
    if found.applicability != "none" and is_leaf(program.tree, path, owner):
        return Verdict.refuse(f"`{path}` is a leaf or keeps its gradient, which a new tensor would not")
    return found


def _family(program: Program, owner: ast.ClassDef) -> list[ast.ClassDef]:
    """The class, and those of the file that derive from it."""
    found = [owner]
    for cls in found:
        found += [
            other
            for other in program.tree.classes.values()
            if other not in found and any(path_of(base) == cls.name for base in other.bases)
        ]
    return found


def _read_from_outside(program: Program, path: str, attribute: str) -> Verdict:
    """`keep = net.h`, `net.state_dict()` for a buffer: somebody who has no part in the class may hold the tensor."""
    for node, parent in program.tree.parents.items():
        kept = isinstance(parent, ast.Assign | ast.Tuple | ast.List | ast.Dict | ast.NamedExpr | ast.Yield)
        if isinstance(node, ast.Attribute) and node.attr == attribute and isinstance(node.ctx, ast.Load) and kept:
            if path_of(node.value) not in ("self", "cls") and not _is_returned(program, node):
                return Verdict.doubt(f"line {node.lineno} takes `{path}` under another name", held=True)
        elif isinstance(node, ast.Call) and kept and last_name(node.func) == "state_dict":
            if _is_returned(program, node):
                continue
            return Verdict.doubt(f"line {node.lineno} takes a state_dict, which may hold `{path}`", held=True)
    return SAFE


def _is_returned(program: Program, node: ast.expr) -> bool:
    """Whoever gets it looks at it after what the function does."""
    return isinstance(program.tree.statement(node), ast.Return)


def _parameter(path: str) -> Verdict:
    return Verdict.refuse(
        f"`{path}` is a parameter: a new tensor would take its place in the module, not in the optimizer"
    )


def _origin(program: Program, path: str, value: ast.expr) -> Verdict:
    """Judged by what the attribute was made from."""
    if isinstance(value, ast.Constant):
        return SAFE
    if isinstance(value, ast.Call) and program.tree.dotted(value.func).endswith("nn.Parameter"):
        return _parameter(path)
    if isinstance(value, ast.Call | ast.BinOp | ast.UnaryOp | ast.List | ast.ListComp | ast.Dict | ast.DictComp):
        if isinstance(value, ast.Call):
            op = ops.lookup(program.tree.dotted(value.func))
            if op is None and isinstance(value.func, ast.Attribute):
                op = ops.method(value.func.attr)
            if op is not None and any(
                r.relation != "new" and r.of != "out" for overload in op.overloads for r in overload.results
            ):
                return Verdict.doubt(f"line {value.lineno} makes `{path}` share memory with another tensor", held=True)
        return SAFE
    return Verdict.doubt(f"`{path}` is given its tensor on line {value.lineno}, and others may hold it", held=True)


def _bare(value: ast.expr | None, *, views: bool = True) -> list[ast.expr]:
    """The names and attributes that the expression is, views, or hands on in a tuple, list or dict."""
    if isinstance(value, ast.Name | ast.Attribute):
        return [value]
    if isinstance(value, ast.Tuple | ast.List | ast.Set):
        return [part for item in value.elts for part in _bare(item, views=views)]
    if isinstance(value, ast.Dict):
        return [part for item in value.values for part in _bare(item)]
    if isinstance(value, ast.Subscript):
        return _bare(value.value) if views else []
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and (op := ops.method(value.func.attr)):
        shares = any(r.relation != "new" and r.of != "out" for overload in op.overloads for r in overload.results)
        return _bare(value.func.value) if views and shares else []
    if isinstance(value, ast.IfExp):
        return _bare(value.body) + _bare(value.orelse)
    return []


def _names(call: ast.Call, attribute: str) -> bool:
    first = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "name"), None)
    return isinstance(first, ast.Constant) and first.value == attribute
