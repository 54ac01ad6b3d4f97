"""New text for one statement or expression, with libcst: comments, spaces and line ends inside it stay."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TypeVar

import libcst as cst

from inplace_guard.fixes.text import Unfixable

__all__ = [
    "call_on_copy",
    "drop_argument",
    "no_augmentation",
    "rename_function",
    "rename_methods",
    "set_argument",
    "sum_of",
]

_BINARY: dict[type[cst.BaseAugOp], type[cst.BaseBinaryOp]] = {
    cst.AddAssign: cst.Add,
    cst.SubtractAssign: cst.Subtract,
    cst.MultiplyAssign: cst.Multiply,
    cst.DivideAssign: cst.Divide,
    cst.FloorDivideAssign: cst.FloorDivide,
    cst.ModuloAssign: cst.Modulo,
    cst.PowerAssign: cst.Power,
    cst.BitAndAssign: cst.BitAnd,
    cst.BitOrAssign: cst.BitOr,
    cst.BitXorAssign: cst.BitXor,
    cst.LeftShiftAssign: cst.LeftShift,
    cst.RightShiftAssign: cst.RightShift,
    cst.MatrixMultiplyAssign: cst.MatrixMultiply,
}
_STRENGTH: dict[type[cst.CSTNode], int] = {
    cst.BitOr: 1,
    cst.BitXor: 2,
    cst.BitAnd: 3,
    cst.LeftShift: 4,
    cst.RightShift: 4,
    cst.Add: 5,
    cst.Subtract: 5,
    cst.Multiply: 6,
    cst.MatrixMultiply: 6,
    cst.Divide: 6,
    cst.FloorDivide: 6,
    cst.Modulo: 6,
    cst.Power: 8,
}
_WEAK = (cst.Comparison, cst.BooleanOperation, cst.IfExp, cst.Lambda, cst.NamedExpr, cst.Yield, cst.From)
_Node = TypeVar("_Node", bound=cst.CSTNode)


class _Statement:
    """One simple statement, parsed by itself."""

    def __init__(self, text: str) -> None:
        try:
            self.module = cst.parse_module(text)
        except (cst.ParserSyntaxError, RecursionError) as error:
            raise Unfixable(f"libcst cannot parse the statement: {str(error).splitlines()[0]}") from None
        line = self.module.body[0] if self.module.body else None
        if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
            raise Unfixable("it is not a simple statement")
        self.node = line.body[0]

    def code(self, node: cst.CSTNode) -> str:
        return self.module.code_for_node(node)


class _Expression(_Statement):
    """One expression; line ends in it need no brackets of its own."""

    def __init__(self, text: str) -> None:
        super().__init__(f"({text})")
        if not isinstance(self.node, cst.Expr):
            raise Unfixable("it is not an expression")
        value = self.node.value
        self.value = value.with_changes(lpar=value.lpar[1:], rpar=value.rpar[:-1])


def no_augmentation(text: str, *, keep_dtype: bool = False) -> str:
    """`h += x` -> `h = h + x`, or `h = (h + x).to(h.dtype)`."""
    statement = _Statement(text)
    node = statement.node
    if not isinstance(node, cst.AugAssign):
        raise Unfixable("it is not an augmented assignment")
    operator = _BINARY[type(node.operator)]
    if isinstance(node.value, cst.Tuple) and not node.value.lpar:
        raise Unfixable("its right side is a tuple")

    def code(right: cst.BaseExpression) -> str:
        value: cst.BaseExpression = cst.BinaryOperation(node.target, operator(), right)
        if keep_dtype:
            dtype = cst.Attribute(node.target, cst.Name("dtype"))
            value = cst.Call(cst.Attribute(_bracketed(value), cst.Name("to")), [cst.Arg(dtype)])
        return statement.code(cst.Assign(targets=[cst.AssignTarget(node.target)], value=value))

    return _valid(code(_operand(node.value, operator)), lambda: code(_bracketed(node.value)))


def sum_of(target: str, call: str) -> str:
    """`h.add_(x)` -> `h + x`, for a call with this one argument."""
    expression = _Expression(call)
    node = expression.value
    assert isinstance(node, cst.Call)
    value = node.args[0].value

    def code(operand: cst.BaseExpression) -> str:
        return f"{target} + {expression.code(operand)}"

    return _valid(code(_operand(value, cst.Add)), lambda: code(_bracketed(value)))


def rename_methods(text: str, depths: Sequence[int], rename: Callable[[str], str]) -> str:
    """Renames the methods of a chain of calls: depth 0 is the call itself, 1 the call that it is made on, and so on."""
    expression = _Expression(text)

    def change(node: cst.BaseExpression, depth: int) -> cst.BaseExpression:
        if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
            return node
        func = node.func.with_changes(value=change(node.func.value, depth + 1))
        if depth in depths:
            func = func.with_changes(attr=cst.Name(rename(node.func.attr.value)))
        return node.with_changes(func=func)

    return expression.code(change(expression.value, 0))


def rename_function(text: str, name: str) -> str:
    """`F.relu_(x)` -> `F.relu(x)`."""
    expression, node = _call(text)
    if isinstance(node.func, cst.Attribute):
        func: cst.BaseExpression = node.func.with_changes(attr=cst.Name(name))
    else:
        func = cst.Name(name)
    return expression.code(node.with_changes(func=func))


def drop_argument(text: str, keyword: str) -> str:
    """`F.relu(x, inplace=True)` -> `F.relu(x)`."""
    expression, node = _call(text)
    args = list(node.args)
    at = next(number for number, arg in enumerate(args) if arg.keyword is not None and arg.keyword.value == keyword)
    gone = args.pop(at)
    if args and at == len(args):  # the one before it is the last one now
        args[-1] = args[-1].with_changes(comma=gone.comma, whitespace_after_arg=gone.whitespace_after_arg)
    return expression.code(node.with_changes(args=args))


def set_argument(text: str, position: int, value: str) -> str:
    """The positional argument becomes `value`: `nn.Dropout(0.5, True)` -> `nn.Dropout(0.5, False)`."""
    expression, node = _call(text)
    args = list(node.args)
    args[position] = args[position].with_changes(value=cst.Name(value))
    return expression.code(node.with_changes(args=args))


def call_on_copy(text: str, position: int) -> str:
    """`self.act(x)` -> `self.act(x.clone())`."""
    expression, node = _call(text)
    args = list(node.args)
    value = args[position].value
    if not isinstance(value, cst.Name | cst.Attribute | cst.Call | cst.Subscript):
        value = _bracketed(value)
    args[position] = args[position].with_changes(value=cst.Call(cst.Attribute(value, cst.Name("clone"))))
    return expression.code(node.with_changes(args=args))


def _call(text: str) -> tuple[_Expression, cst.Call]:
    expression = _Expression(text)
    if not isinstance(expression.value, cst.Call):
        raise Unfixable("it is not a call")
    return expression, expression.value


def _operand(value: cst.BaseExpression, operator: type[cst.BaseBinaryOp]) -> cst.BaseExpression:
    """The right operand, in brackets where it would be read otherwise."""
    if value.lpar:
        return value
    weaker = isinstance(value, _WEAK) or (isinstance(value, cst.UnaryOperation) and isinstance(value.operator, cst.Not))
    if isinstance(value, cst.BinaryOperation):
        own, outer = _STRENGTH[type(value.operator)], _STRENGTH[operator]
        weaker = own < outer or (own == outer and operator is not cst.Power)
    return _bracketed(value) if weaker else value


def _bracketed(value: cst.BaseExpression) -> cst.BaseExpression:
    left, right = cst.LeftParen(), cst.RightParen()
    bracketed: cst.BaseExpression = value.with_changes(lpar=[left, *value.lpar], rpar=[*value.rpar, right])
    return bracketed


def _valid(text: str, otherwise: Callable[[], str]) -> str:
    """An operand that spans lines may have lost the brackets that it stood in."""
    for found in (text, None):
        candidate = found if found is not None else otherwise()
        try:
            ast.parse(candidate)
        except SyntaxError:
            continue
        return candidate
    raise Unfixable("its operand cannot be moved")
