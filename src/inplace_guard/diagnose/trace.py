"""Every write of a file beside every save that it may have hit: what the analysis saw, not only what it would report.

`check` keeps silent about what is likely to be right. Here something is known to be wrong, so that nothing is left out:
all functions are run, and a write is paired with whatever was saved of its memory before.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inplace_guard import ops, rules
from inplace_guard.analysis.entries import FunctionNode, Runner
from inplace_guard.analysis.interpreter import Interpreter
from inplace_guard.analysis.machine import Kept
from inplace_guard.analysis.scope import Scope
from inplace_guard.analysis.tape import Hazard, Node, Place, Save, Write
from inplace_guard.analysis.values import PLAIN, Module, Optimizer, Tensor, Unknown, Value

__all__ = ["Blind", "Hit", "Saved", "Step", "Trace", "Written", "trace"]

_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.FloorDiv: "//", ast.Mod: "%",
              ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Saved:
    """`made_by`: the op whose result it was, empty for a leaf. `view`: it was a view. `time` orders events."""

    save: Save
    made_by: str
    view: bool
    param: bool
    time: int

    @property
    def node(self) -> Node:
        return self.save.node


@dataclass(frozen=True, slots=True)
class Written:
    """`made_by`: the op that had made what is written. `stack`: the functions that were running, outermost first."""

    write: Write
    mem: frozenset[int]
    made_by: str
    param: bool
    time: int
    stack: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """A write to what was saved.

    writes: of that memory between the save and the backward, or the end. made: where the module was made whose weight
    it is. named: the op that the error names. A result is remembered with the op that made it; of an input PyTorch
    tells the op that wrote it last.
    """

    saved: Saved
    written: Written
    writes: int
    needed: tuple[Place, ...]  # backwards that would read it
    leaves: bool  # it is returned, so that a backward elsewhere may read it
    named: str
    made: Place | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """A call `x.step()` on what is an optimizer, or may be one: `zeroed` says that x.zero_grad() is called as well.
    `before`: backwards that no other such call comes between; `renewed`: those whose graph is made anew after it."""

    place: Place
    label: str
    zeroed: bool
    stack: tuple[str, ...]
    before: tuple[Place, ...]
    renewed: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Blind:
    """What would be a write if its target were a tensor; of the target nothing is known."""

    place: Place
    op: str
    stack: tuple[str, ...]


@dataclass(slots=True)
class Trace:
    """What the functions of one file do."""

    hits: list[Hit] = field(default_factory=list)
    writes: list[Written] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    blind: list[Blind] = field(default_factory=list)
    hazards: list[Hazard] = field(default_factory=list)


class _Listener(Interpreter):
    """Notes what happens, in the order in which the paths are run."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.saves: dict[int, list[Saved]] = {}
        self.written: dict[int, list[Written]] = {}
        self.ends: list[tuple[int, Place, frozenset[Node], bool]] = []
        self.calls: list[tuple[str, ast.Call, Place, tuple[str, ...]]] = []  # of step(), zero_grad() and backward()
        self.blind: list[Blind] = []
        self.time = 0

    def eval(self, node: ast.expr) -> Value:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = node.func.attr
            if ops.is_write(name) and self.is_blank(node.func.value):
                self.blind.append(Blind(self.place(node), name, self.names()))
            if name.endswith("backward") or (name in ("step", "zero_grad") and self.may_be_optimizer(node.func.value)):
                self.calls.append((name, node, self.place(node), self.names()))
        return super().eval(node)

    def exec(self, body: Sequence[ast.stmt]) -> bool:
        for statement in body:
            self.look_at(statement)
            if not super().exec([statement]):
                return False
        return True

    def look_at(self, statement: ast.stmt) -> None:
        """A statement that writes, if what it changes is a tensor."""
        targets: list[ast.expr] = []
        if isinstance(statement, ast.AugAssign):
            targets, op = [statement.target], f"{_OPERATORS.get(type(statement.op), '')}="
        elif isinstance(statement, ast.Assign):
            targets, op = [one for one in statement.targets if isinstance(one, ast.Subscript)], "__setitem__"
        for target in targets:
            base = target.value if isinstance(target, ast.Subscript) else target
            if self.is_blank(base):
                self.blind.append(Blind(self.place(statement), op, self.names()))

    def is_blank(self, node: ast.expr) -> bool:
        """A name or attribute of which the analysis knows nothing."""
        inner = node
        while isinstance(inner, ast.Attribute):
            inner = inner.value
        return isinstance(inner, ast.Name) and isinstance(super().eval(node), Unknown)

    def may_be_optimizer(self, node: ast.expr) -> bool:
        value = super().eval(node)
        return isinstance(value, Optimizer | Unknown) or (isinstance(value, Tensor) and not self.sure(value))

    def names(self) -> tuple[str, ...]:
        return tuple(getattr(function, "name", "<lambda>") for function in self.stack)

    def tell(self) -> int:
        self.time += 1
        return self.time

    def last_op(self, t: Tensor) -> str:
        nodes = self.nodes(t)
        return max(nodes, key=lambda node: node.order).op if nodes else ""

    def keep(self, node: Node, saves: Iterable[Kept]) -> None:
        kept = list(saves)
        before = len(node.saves)
        super().keep(node, kept)
        of_mem = {m: t for t, *_ in kept for m in t.mem}
        for save in node.saves[before:]:
            t = of_mem.get(save.mem)
            if t is not None:
                view = t.view != PLAIN or not save.whole
                made = self.last_op(t)
                self.saves.setdefault(save.mem, []).append(Saved(save, made, view, t.origin == "param", self.tell()))

    def write(self, t: Tensor, op: str, place: Place, *args: Any, **options: Any) -> Write:
        made = self.last_op(t)
        write = super().write(t, op, place, *args, **options)
        written = Written(write, t.mem, made, t.origin == "param", self.tell(), self.names())
        for m in t.mem:
            self.written.setdefault(m, []).append(written)
        return write

    def backward(self, roots: Iterable[Tensor], place: Place, **options: Any) -> None:
        roots = list(roots)
        seen: set[Node] = set()
        todo = [node for t in roots for node in self.nodes(t)]
        while todo:
            node = todo.pop()
            if node not in seen:
                seen.add(node)
                todo.extend(node.parents)
        time = self.tell()
        super().backward(roots, place, **options)  # what its hooks and custom backwards write comes before its end
        self.ends.append((self.tell() if seen else time, place, frozenset(seen), options.get("spend", True)))


class _Tracer(Runner):
    interpreter: type[Interpreter] = _Listener

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope.tree, scope.source, rules.resolve(), scope)
        self.listeners: list[_Listener] = []

    def interesting(self, *args: Any, **options: Any) -> bool:
        return True

    def concerned(self, *args: Any, **options: Any) -> bool:
        return True

    def functions(self) -> Iterator[tuple[FunctionNode, ast.ClassDef | None]]:
        """Those inside of others too: a hook that a function hands out is called where the analysis does not see it."""
        known = dict(super().functions())
        yield from known.items()
        for node in ast.walk(self.tree):
            if isinstance(node, FunctionNode) and node not in known:
                yield node, None

    def guarded(self, it: Interpreter, what: str, run: Callable[[], object]) -> None:
        super().guarded(it, what, run)
        if isinstance(it, _Listener):
            self.listeners.append(it)


def trace(scope: Scope) -> Trace:
    """Runs everything in a file. The hazards are those of `check`, and of what it would not have looked at."""
    tracer = _Tracer(scope)
    tracer.run()
    found = Trace(hazards=tracer.reported())
    for listener in tracer.listeners:
        _gather(listener, found)
    return found


def _gather(it: _Listener, found: Trace) -> None:
    seen: set[Write] = set()
    weights = dict(_weights(it))
    for mem, writes in it.written.items():
        saves = it.saves.get(mem, ())
        for written in writes:
            if written.write not in seen:
                seen.add(written.write)
                found.writes.append(written)
            for saved in saves:
                if saved.time < written.time:
                    ends = [end for end in it.ends if end[0] > written.time and saved.node in end[2]]
                    until = ends[0][0] if ends else it.time
                    between = [other.write for other in writes if saved.time < other.time < until]
                    last = between[-1] if between and saved.save.what != "result" else None
                    named = saved.made_by
                    if last is not None and last.how == "inplace":
                        named = "__setitem__" if last.part else last.op
                    needed = tuple(place for _, place, _, real in ends if real)
                    leaves = any(not real for *_, real in ends)
                    found.hits.append(Hit(saved, written, len(between), needed, leaves, named, weights.get(mem)))
    found.steps += _steps(it)
    found.blind += it.blind


def _weights(it: _Listener) -> Iterator[tuple[int, Place]]:
    """The memory of weights of torch's modules, and where these were made."""
    todo: list[object] = [it.globals.locals.values(), it.heap.values()]
    while todo:
        one = todo.pop()
        if isinstance(one, Module) and one.made is not None:
            weight = it.heap.get((one.oid, "weight"))
            yield from ((mem, one.made) for mem in (weight.mem if isinstance(weight, Tensor) else ()))
        elif isinstance(one, Mapping):
            todo += one.values()
        elif isinstance(one, Iterable) and not isinstance(one, str | bytes):
            todo += one


def _steps(it: _Listener) -> Iterator[Step]:
    """Where zero_grad() tells which of them are optimizers, only these: a schedule has a step() too."""
    zeroed = {ast.unparse(_receiver(node)) for name, node, *_ in it.calls if name == "zero_grad"}
    sure: set[int] = set()
    unsure: set[int] = set()
    for index, (name, node, *_) in enumerate(it.calls):
        if name == "step":
            texts = {ast.unparse(one) for one in (_receiver(node), *node.args)}  # scaler.step(optimizer)
            if texts & zeroed:
                sure.add(index)
            elif not node.args:  # the step of an environment takes an action
                unsure.add(index)
    kept = any(name.endswith("backward") and _keeps(node) for name, node, *_ in it.calls)
    following: dict[int, list[Place]] = {}
    renewed: dict[int, list[Place]] = {}
    last: int | None = None
    for index, (name, _, place, stack) in enumerate(it.calls):
        if index in (sure or unsure):
            last = index
        elif name.endswith("backward") and last is not None:
            _, _, stepped, around = it.calls[last]
            # The step of the round before: no graph of that round is left, for backward has freed it.
            again = not kept and stack == around and stepped.line > place.line
            (renewed if again else following).setdefault(last, []).append(place)
    for index in sorted(sure or unsure):
        _, node, place, stack = it.calls[index]
        label = f"{ast.unparse(_receiver(node))}.step()"
        yield Step(place, label, bool(sure), stack, tuple(following.get(index, ())), tuple(renewed.get(index, ())))


def _keeps(node: ast.Call) -> bool:
    return any(keyword.arg in (None, "retain_graph", "create_graph") for keyword in node.keywords) or len(node.args) > 1


def _receiver(node: ast.Call) -> ast.expr:
    assert isinstance(node.func, ast.Attribute)
    return node.func.value
