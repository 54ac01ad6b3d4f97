"""The text that makes an expression a copy of its own memory."""

from __future__ import annotations

import ast

from inplace_guard import ops
from inplace_guard.fixes.context import Context
from inplace_guard.fixes.text import Edit
from inplace_guard.fixes.tree import last_name, path_of

__all__ = ["copied", "is_alias", "looks_like_copy", "may_be_tensor", "sharers", "short", "written_root"]

# Methods and attributes whose value is the memory that they are taken from, though it may look like a copy.
_LOOKS_LIKE_COPY = {"detach", "data", "grad", "state_dict", "numpy", "cpu", "contiguous", "float", "to", "asarray"}
_BRIDGES = {
    "torch.from_numpy", "torch.as_tensor", "torch.asarray", "torch.frombuffer", "torch.from_dlpack",
    "torch.utils.dlpack.from_dlpack", "numpy.asarray", "numpy.frombuffer", "numpy.from_dlpack", "copy.copy",
    "numpy.ascontiguousarray", "numpy.atleast_1d",
}  # fmt: skip
_NO_TENSORS = {"zip", "len", "list", "dict", "range", "enumerate", "int", "float", "str", "tuple", "set", "iter",
               "super", "open", "isinstance", "sorted", "map", "filter"}  # fmt: skip
_NO_TENSOR_METHODS = {"parameters", "named_parameters", "buffers", "named_buffers", "modules", "children", "items",
                      "keys", "values", "tolist", "item", "size", "dim", "numel", "add_argument", "parse_args", "step",
                      "zero_grad", "backward", "append", "extend", "split", "join", "format"}  # fmt: skip


def written_root(node: ast.AST) -> ast.expr | None:
    """The variable, or the attribute of self, whose memory a statement or call writes; None if it has no name."""
    at: ast.AST
    if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
        at = node.targets[0] if isinstance(node, ast.Assign) else node.target
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        out = next((keyword.value for keyword in node.keywords if keyword.arg == "out"), None)
        at = out if out is not None else node.func.value
    else:
        return None
    while isinstance(at, ast.Subscript | ast.Call | ast.Attribute) and not path_of(at).startswith("self."):
        if not isinstance(at, ast.Call):
            at = at.value
        elif isinstance(at.func, ast.Attribute):
            at = at.func.value
        else:
            return None
    return at if isinstance(at, ast.Name | ast.Attribute) else None


def short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 40 else f"{text[:37]}..."


def may_be_tensor(context: Context, node: ast.expr, depth: int = 4) -> bool:
    """False for what is certainly no tensor and no array: modules, optimizers, functions, containers, numbers."""
    if known := context.kinds(node) - {"none"}:
        return bool(known & {"tensor", "array"})
    scope = context.tree.scope(context.tree.statement(node))
    if isinstance(node, ast.Call):
        dotted = context.tree.dotted(node.func)
        method = node.func.attr if isinstance(node.func, ast.Attribute) and not dotted else ""
        op = ops.lookup(dotted) if dotted else ops.method(method)
        if op is not None and any(len(o.results) != 1 or o.results[0].sequence for o in op.overloads):
            return False
        if dotted:
            module, _, name = dotted.rpartition(".")
            makes_object = name[:1].isupper() and not name.endswith("Tensor") and name != "Parameter"
            return dotted.startswith(("torch.", "numpy.")) and not makes_object and not module.startswith("torch.optim")
        name = path_of(node.func)
        if name in _NO_TENSORS or name in context.tree.classes:
            return False
        return method not in _NO_TENSOR_METHODS
    if isinstance(node, ast.Name | ast.Attribute):
        path = path_of(node)
        if path in ("self", "cls") or context.tree.dotted(node) or context.program.kinds.is_container(node, scope):
            return False
        if not path:
            return True
        if any(path_of(call.func) == path for call in context.tree.calls) or path in context.program.functions_named:
            return False
        given = [n.value for n in ast.walk(scope) if isinstance(n, ast.Assign) and path in map(path_of, n.targets)]
        return depth == 0 or not given or any(may_be_tensor(context, value, depth - 1) for value in given)
    return isinstance(node, ast.BinOp | ast.UnaryOp | ast.Subscript | ast.IfExp)


def copied(context: Context, node: ast.expr) -> list[Edit]:
    """Edits after which the expression has memory of its own; none if that cannot be said."""
    text = context.text.segment(node)
    end = context.text.span(node)[1]
    if isinstance(node, ast.Call):
        dotted = context.tree.dotted(node.func)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if dotted == "copy.copy":
            if not isinstance(node.func, ast.Attribute):
                return []
            return [context.replace(node.func, f"{context.text.segment(node.func.value)}.deepcopy")]
        if name == "state_dict":
            return [context.replace(node, f"{{name: value.clone() for name, value in {text}.items()}}")]
        if path_of(node.func) == "dict.fromkeys" and len(node.args) == 2 and "\n" not in text:
            keys, value = (context.text.segment(argument) for argument in node.args)
            name = context.fresh_name("key")
            return [context.replace(node, f"{{{name}: {value} for {name} in {keys}}}")]
        if dotted.startswith("numpy.") or name in ("numpy", "__array__"):
            return [context.insert(end, ".copy()")]
        if path_of(node.func) in ("dict", "list", "tuple") and len(node.args) == 1 and not node.keywords:
            return [context.replace(node, new)] if (new := _each(context, node)) else []
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and isinstance(node.left, ast.List):
        if len(node.left.elts) != 1 or "\n" in text:
            return []
        item, number = context.text.segment(node.left.elts[0]), context.text.segment(node.right)
        return [context.replace(node, f"[{item} for _ in range({number})]")]
    if new := _each(context, node):
        return [context.replace(node, new)]
    if not may_be_tensor(context, node):
        return []
    if context.kinds(node) - {"none"} == {"array"}:
        return [context.insert(end, ".copy()")] if not isinstance(node, ast.BinOp | ast.UnaryOp) else []
    if isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
        return [context.insert(end, ".clone()")]
    if isinstance(node, ast.BinOp | ast.UnaryOp):
        start = context.text.span(node)[0]
        return [context.insert(start, "("), context.insert(end, ").clone()")]
    return []


def _each(context: Context, node: ast.expr) -> str:
    """Copies of what a list or dict holds; empty if it is neither."""
    kinds = context.kinds(node)
    inner = node
    if isinstance(node, ast.Call) and path_of(node.func) in ("dict", "list", "tuple"):
        inner = node.args[0] if node.args and context.kinds(node.args[0]) == kinds else node
    if _holds_records(context, inner):
        return ""
    text, value, key = context.text.segment(inner), context.fresh_name("value"), context.fresh_name("key")
    if not isinstance(inner, ast.Name | ast.Attribute | ast.Subscript | ast.Call) or "\n" in text:
        return ""
    copy = f"{value}.detach().clone()" if "parameters(" in text else f"{value}.clone()"
    if kinds == {"dict"}:
        return f"{{{key}: {copy} for {key}, {value} in {text}.items()}}"
    return f"[{copy} for {value} in {text}]" if kinds == {"sequence"} else ""


def _holds_records(context: Context, node: ast.expr) -> bool:
    """Whether tuples, lists or dicts are put into the container, and no tensors."""
    name = last_name(node)
    given: list[ast.expr] = []
    for call in context.tree.calls:
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("append", "appendleft", "insert", "add"):
            given += call.args if name and last_name(call.func.value) == name else []
    return any(isinstance(part, ast.Tuple | ast.List | ast.Dict) for part in given)


def is_alias(context: Context, node: ast.AST) -> bool:
    """Whether the expression hands out memory that somebody else has too."""
    if isinstance(node, ast.Attribute):
        fact = ops.attribute(node.attr)
        return node.attr in _LOOKS_LIKE_COPY or (fact is not None and fact.relation != "new")
    if isinstance(node, ast.Subscript):
        return not any(isinstance(inner, ast.Compare | ast.Invert) for inner in ast.walk(node.slice))
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Mult) and isinstance(node.left, ast.List) and not _are_numbers(node.left)
    if not isinstance(node, ast.Call):
        return False
    dotted = context.tree.dotted(node.func)
    if dotted in _BRIDGES or path_of(node.func) in ("dict.fromkeys", "dict", "list"):
        return True
    op = ops.lookup(dotted)
    if op is None and isinstance(node.func, ast.Attribute) and not dotted:
        if node.func.attr in _LOOKS_LIKE_COPY:
            return True
        op = ops.method(node.func.attr)
    return op is not None and any(
        r.relation != "new" and r.of != "out" for overload in op.overloads for r in overload.results
    )


def sharers(context: Context) -> list[ast.expr]:
    """The expressions of the file that are kept and share memory, those that look like copies first."""
    found: list[ast.expr] = []
    for node, parent in context.tree.parents.items():
        if isinstance(node, ast.expr) and is_alias(context, node) and _is_kept(context, node, parent):
            found.append(node)
    return sorted(found, key=lambda node: (not looks_like_copy(context, node), node.lineno, node.col_offset))


def looks_like_copy(context: Context, node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        dotted = context.tree.dotted(node.func)
        return dotted in _BRIDGES or name in _LOOKS_LIKE_COPY or path_of(node.func) == "dict.fromkeys"
    return not isinstance(node, ast.Attribute) or node.attr in _LOOKS_LIKE_COPY


def _is_kept(context: Context, node: ast.expr, parent: ast.AST) -> bool:
    """Whether the value goes under a name, into a container, or to somebody else: not into a computation."""
    if isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
        return False
    if isinstance(parent, ast.Attribute) and parent.attr == "requires_grad_":  # `p.detach().requires_grad_()`
        call = context.tree.parents[parent]
        return isinstance(call, ast.Call) and _is_kept(context, call, context.tree.parents[call])
    if isinstance(node, ast.Subscript) and isinstance(parent, ast.Assign):
        return all(may_be_tensor(context, target) for target in parent.targets)
    if isinstance(parent, ast.Call):
        return node is not parent.func and not context.tree.dotted(parent.func).startswith("torch.")
    kept = ast.Assign | ast.AnnAssign | ast.NamedExpr | ast.Return | ast.Yield | ast.keyword | ast.Starred
    held = ast.List | ast.Tuple | ast.Dict | ast.Set | ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
    return isinstance(parent, kept | held)


def _are_numbers(node: ast.List) -> bool:
    return all(isinstance(item, ast.Constant | ast.UnaryOp) for item in node.elts)
