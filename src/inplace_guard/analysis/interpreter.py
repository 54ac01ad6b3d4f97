"""The abstract interpreter: it runs a function on abstract values. Syntax is in `expressions` and `statements`, calls
are in `calls`; this module ties them to the machine."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from inplace_guard.analysis import abroad, expressions, statements
from inplace_guard.analysis.classes import copies_saves
from inplace_guard.analysis.frames import Frame, State, Top
from inplace_guard.analysis.heap import Heap
from inplace_guard.analysis.machine import Machine
from inplace_guard.analysis.scope import Scope
from inplace_guard.analysis.tape import Place
from inplace_guard.analysis.values import NONE, UNKNOWN, Const, Dict, Either, Obj, Seq, Tensor, Value

if TYPE_CHECKING:
    from inplace_guard.analysis.classes import ClassInfo

MOST_FRAMES = 24
ALLOWANCE = 800
MOST_RECURSION = 2


class Interpreter(Machine):
    """Runs code of one file (`home`) and of the files that it imports. A fresh one for each entry."""

    def __init__(self, scope: Scope) -> None:
        super().__init__(Top(scope))
        self.home = scope
        self.tops = {scope: self.frame}
        self.abroad = 0  # the steps that were made in other files
        self.own_limit = self.limit  # of the code of this file, while another file's runs
        self.registered: set[Scope] = set()  # the files whose decorators have filled their registries
        self.most_abroad = abroad.MOST_ABROAD
        self.allowance = ALLOWANCE  # how many there may be at the start; the more is done here, the more there may be
        self.stack: list[ast.AST] = []
        self.ran: set[ast.AST] = set()
        self.callers: dict[ast.AST, set[ast.AST]] = {}
        self.gatherers: set[ast.AST] = set()  # functions that put tensors into a record
        self.split_at = -1  # how deep the test runs that wants `split`
        self.split: dict[bool, Heap] | None = None
        self.block: Sequence[ast.stmt] = ()  # what the running statement stands in
        self.chain = False  # whether the running module was called by a Sequential

    # Running

    def eval(self, node: ast.expr) -> Value:
        self.steps += 1
        if self.steps > self.limit:
            self.tick()
        handler = expressions.HANDLERS.get(type(node))
        return handler(self, node) if handler is not None else UNKNOWN

    def exec(self, body: Sequence[ast.stmt]) -> bool:
        """Run statements; False if no path falls off the end."""
        for statement in body:
            self.steps += 1
            if self.steps > self.limit:
                self.tick()
            self.block = body
            handler = statements.HANDLERS.get(type(statement))
            if handler is not None and not handler(self, statement):
                return False
        return True

    def run_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, frame: Frame) -> Value:
        """Run a function whose frame has its arguments bound; its value, all paths joined."""
        if len(self.stack) >= MOST_FRAMES or self.stack.count(node) >= MOST_RECURSION:
            return UNKNOWN
        caller = self.frame
        if self.stack:
            self.callers.setdefault(node, set()).add(self.stack[-1])
        self.stack.append(node)
        if self.heap["grad"]:
            self.ran.add(node)
        hooks = self.heap["hooks"]
        if copies_saves(frame.scope, node):
            self.heap["hooks"] = "copied"
        if self.heap["hooks"] == "copied":
            self.covered.add(node)  # it is run where its writes are right, and not looked at alone
        self.frame = frame
        try:
            if isinstance(node, ast.Lambda):
                return self.eval(node.body)
            through = self.exec(node.body)
            return self.leave(frame, through)
        finally:
            self.heap["hooks"] = hooks
            self.stack.pop()
            self.frame = caller

    def met(self) -> set[ast.AST]:
        """The functions whose ops some backward has met; of those that gather what others return, the ops of these."""
        todo = [node for node in self.covered if node is not None]
        own, found = set(todo), set(todo)
        while todo:
            fresh = self.callers.get(todo.pop(), set()) - found
            found |= fresh
            todo += fresh
        return own | (found & self.gatherers)

    def leave(self, frame: Frame, through: bool) -> Value:
        states: list[State] = [state for state, _ in frame.returns]
        values = [value for _, value in frame.returns]
        if through:
            states.append(self.current())
            if not values:
                values.append(NONE)
        if not states:
            return UNKNOWN  # it always raises
        self.split = (
            self.by_truth(states, values) if not through and self.split_at == len(self.stack) - 1 else self.split
        )
        heaps = [state[0] for state in states]
        result = values[0]
        self.heap = heaps[0]
        for i, heap in enumerate(heaps[1:], 1):
            if i < len(values) and values[i] is not result:
                result = expressions.join_values(self, result, values[i], heap)
            self.join([(self.heap, {}), (heap, {})])
        return result

    def by_truth(self, states: list[State], values: list[Value]) -> dict[bool, Heap] | None:
        """The heaps that a helper leaves behind, by the constant truth that it returns: `if check(x): …`."""
        groups: dict[bool, Heap] = {}
        for (heap, _), value in zip(states, values, strict=False):
            if not isinstance(value, Const):
                return None
            truth, copy = bool(value.value), heap.fork()
            if truth in groups:
                self.join([(groups[truth], {}), (copy, {})])
            else:
                groups[truth] = copy
        return groups if len(groups) == 2 else None

    # Files

    @property
    def scope(self) -> Scope:
        """The file whose code is running."""
        return self.frame.scope

    @property
    def globals(self) -> Frame:
        """The top level of the file whose code is running."""
        return self.frame.top

    def top(self, scope: Scope) -> Frame:
        """The top level of a file."""
        top = self.tops.get(scope)
        if top is None:
            top = self.tops[scope] = Top(scope)
        return top

    def around(self, cls: ClassInfo) -> Frame:
        """The frame that the methods of a class close over."""
        return cls.frame or self.top(cls.scope)

    def place(self, node: ast.AST) -> Place:
        """Where this node of the running code is."""
        frame = self.frame
        if frame.scope is self.home:
            return Place(node)
        return Place(node, frame.scope, frame.via)

    # Values

    def tensors(self, *values: Value, depth: int = 3) -> list[Tensor]:
        """The tensors in these values, and in the containers and dataclasses among them."""

        found: list[Tensor] = []
        for value in values:
            if isinstance(value, Tensor):
                found.append(value)
            elif depth and isinstance(value, Seq):
                found += self.tensors(*self.items(value), depth=depth - 1)
            elif depth and isinstance(value, Dict):
                found += self.tensors(*self.entries(value).values(), depth=depth - 1)
            elif depth and isinstance(value, Either):
                found += self.tensors(*value.options, depth=depth - 1)
            elif depth and isinstance(value, Obj) and value.cls.all_fields:
                cells = (self.heap.get((value.oid, name)) for name in value.cls.all_fields)
                found += self.tensors(*(cell for cell in cells if cell is not None), depth=depth - 1)
        return found
