"""The state of all names before and after each statement of a function: a forward pass that only over-approximates."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from inplace_guard.fixes.memory import NOTHING, State, Thing, Things, holder_of
from inplace_guard.fixes.tree import names_in, path_of
from inplace_guard.fixes.values import Evaluator

if TYPE_CHECKING:
    from inplace_guard.fixes.program import Program

__all__ = ["Flow"]

_ROUNDS = 6


class Flow:
    """`before` and `after` hold a state for each statement that is reached; `returned` what is handed back."""

    def __init__(self, program: Program, scope: ast.AST) -> None:
        self.before: dict[ast.stmt, State] = {}
        self.after: dict[ast.stmt, State] = {}
        self.returned: Things = NOTHING
        self._evaluator = Evaluator(program, scope)
        self._breaks: list[list[State]] = []
        self._continues: list[list[State]] = []
        state = State()
        if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            arguments = scope.args
            extra = [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
            for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *extra):
                state.names[argument.arg] = frozenset((("param", argument.arg),))
        if isinstance(scope, ast.Lambda):
            self._evaluator.state = state
            self.returned = self._evaluator.value(scope.body)
        else:
            self._run(scope.body, state)  # type: ignore[attr-defined]
        self.returned = self.held(self.returned | self._evaluator.yielded)

    def held(self, things: Things) -> Things:
        """The things, and what the code among them can read of this function's variables when it runs later."""
        seen: set[Thing] = set()
        while code := {thing for thing in things if thing[0] == "code"} - seen:
            seen |= code
            names = frozenset().union(*[names_in(node) for _, node in code])
            states = [*self.before.values(), self._evaluator.state]
            things = things.union(*[state.names.get(name, NOTHING) for state in states for name in names])
        return things

    def _run(self, statements: list[ast.stmt], state: State | None) -> State | None:
        for statement in statements:
            if state is None:
                return None
            known = self.before.get(statement)
            self.before[statement] = state.copy() if known is None else known.join(state)
            state = self._step(statement, state)
            if state is not None:
                known = self.after.get(statement)
                self.after[statement] = state.copy() if known is None else known.join(state)
        return state

    def _step(self, node: ast.stmt, state: State) -> State | None:
        evaluator = self._evaluator
        evaluator.state = state
        if isinstance(node, ast.If):
            evaluator.value(node.test)
            state = evaluator.state
            return _join([self._run(node.body, state.copy()), self._run(node.orelse, state)])
        if isinstance(node, ast.For | ast.AsyncFor | ast.While):
            return self._loop(node, state)
        if isinstance(node, ast.Try) or type(node).__name__ == "TryStar":
            return self._try(node, state)  # type: ignore[arg-type]
        if isinstance(node, ast.With | ast.AsyncWith):
            held = NOTHING
            for item in node.items:
                things = evaluator.value(item.context_expr)
                if isinstance(item.context_expr, ast.Call):  # it may hand out what it is given
                    given = [*item.context_expr.args, *(keyword.value for keyword in item.context_expr.keywords)]
                    things = things.union(*map(evaluator.value, given))
                if item.optional_vars is not None:
                    evaluator.bind(item.optional_vars, things)
                held |= things
            evaluator.state.names[holder_of(node)] = held
            return self._run(node.body, evaluator.state)
        if isinstance(node, ast.Match):
            things = evaluator.value(node.subject)
            for pattern in (inner for case in node.cases for inner in ast.walk(case.pattern)):
                for name in (getattr(pattern, "name", None), getattr(pattern, "rest", None)):
                    if isinstance(name, str):
                        evaluator.state.bind(name, things)
            state = evaluator.state
            return _join([state, *(self._run(case.body, state.copy()) for case in node.cases)])
        return self._simple(node)

    def _simple(self, node: ast.stmt) -> State | None:
        evaluator = self._evaluator
        if isinstance(node, ast.Assign):
            things = evaluator.value(node.value)
            for target in node.targets:
                evaluator.bind(target, things, node.value)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                evaluator.bind(node.target, evaluator.value(node.value), node.value)
        elif isinstance(node, ast.AugAssign):
            things = evaluator.value(node.value)
            kinds, scope = evaluator.program.kinds, evaluator.scope
            overloaded = evaluator.overloaded(node.op, node.target, node.value, [evaluator.value(node.target), things])
            if overloaded and (path := path_of(node.target)):
                evaluator.state.names[path] = evaluator.state.names.get(path, NOTHING) | overloaded
            if kinds.is_container(node.target, scope) or kinds.is_container(node.value, scope):
                evaluator.state.put(evaluator.value(node.target), things)  # xs += [h]
        elif isinstance(node, ast.Return):
            self.returned |= evaluator.value(node.value)
            return None
        elif isinstance(node, ast.Raise):
            return None
        elif isinstance(node, ast.Break | ast.Continue):
            where = self._breaks if isinstance(node, ast.Break) else self._continues
            if where:
                where[-1].append(evaluator.state)
            return None
        elif isinstance(node, ast.Expr):
            evaluator.value(node.value)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            evaluator.state.bind(node.name, evaluator.defined(node))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                evaluator.state.bind(alias.asname or alias.name, NOTHING)
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    evaluator.state.names.pop(target.id, None)
        elif isinstance(node, ast.Assert):
            evaluator.value(node.test)
        return evaluator.state

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, state: State) -> State | None:
        for _ in range(_ROUNDS):
            self._breaks.append([])
            self._continues.append([])
            self._evaluator.state = state.copy()
            if isinstance(node, ast.While):
                self._evaluator.value(node.test)
            else:
                held = self._evaluator.loop(node.target, node.iter)
                self._evaluator.state.names[holder_of(node)] = held
            ended = self._run(node.body, self._evaluator.state)
            breaks, continues = self._breaks.pop(), self._continues.pop()
            merged = _join([state, ended, *continues])
            assert merged is not None
            if merged == state:
                break
            state = merged
        return _join([self._run(node.orelse, state.copy()), *breaks])

    def _try(self, node: ast.Try, state: State) -> State | None:
        start = state.copy()
        ended = self._run(node.body, state)
        reached = [self.after[inner] for inner in node.body if inner in self.after]
        failed = _join([start, *reached])
        ends = [self._run(node.orelse, ended)]
        for handler in node.handlers:
            assert failed is not None
            ends.append(self._run(handler.body, failed.copy()))
        return self._run(node.finalbody, _join(ends))


def _join(states: list[State | None]) -> State | None:
    found: State | None = None
    for state in states:
        if state is not None:
            found = state.copy() if found is None else found.join(state)
    return found
