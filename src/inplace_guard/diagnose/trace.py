"""Every write of a file beside every save that it may have hit: what the analysis saw, not only what it would report.

`check` keeps silent about what is likely to be right. Here something is known to be wrong, so that nothing is left out:
all functions are run, and a write is paired with whatever was saved of its memory before.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from inplace_guard import rules
from inplace_guard.analysis.entries import FunctionNode, Runner
from inplace_guard.analysis.interpreter import Interpreter
from inplace_guard.analysis.machine import Kept
from inplace_guard.analysis.tape import Hazard, Node, Place, Save, Write
from inplace_guard.analysis.values import PLAIN, Tensor

__all__ = ["Hit", "Saved", "Trace", "Written", "trace"]


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
    """A write to what was saved; `writes`: of that memory between the save and the backward, or the end."""

    saved: Saved
    written: Written
    writes: int
    needed: tuple[Place, ...]  # backwards that would read it


@dataclass(slots=True)
class Trace:
    """What the functions of one file do."""

    hits: list[Hit] = field(default_factory=list)
    writes: list[Written] = field(default_factory=list)
    hazards: list[Hazard] = field(default_factory=list)
    backwards: list[Place] = field(default_factory=list)


class _Listener(Interpreter):
    """Notes what happens, in the order in which the paths are run."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.saves: dict[int, list[Saved]] = {}
        self.written: dict[int, list[Written]] = {}
        self.ends: list[tuple[int, Place, frozenset[Node]]] = []
        self.time = 0

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
        stack = tuple(getattr(function, "name", "<lambda>") for function in self.stack)
        written = Written(write, t.mem, made, t.origin == "param", self.tell(), stack)
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
        self.ends.append((self.tell() if seen else time, place, frozenset(seen)))


class _Tracer(Runner):
    interpreter = _Listener

    def __init__(self, tree: ast.Module, source: str, codes: frozenset[str]) -> None:
        super().__init__(tree, source, codes)
        self.listeners: list[_Listener] = []

    def interesting(self, node: ast.stmt) -> bool:
        return True

    def concerned(self, node: FunctionNode) -> bool:
        return True

    def functions(self) -> Iterator[tuple[FunctionNode, ast.ClassDef | None]]:
        """Those inside of others too: a hook that a function hands out is called where the analysis does not see it."""
        known = dict(super().functions())
        yield from known.items()
        for node in ast.walk(self.tree):
            if isinstance(node, FunctionNode) and node not in known:
                yield node, None

    def guarded(self, it: Interpreter, what: str, run: object) -> None:
        super().guarded(it, what, run)
        if isinstance(it, _Listener):
            self.listeners.append(it)


def trace(source: str, tree: ast.Module) -> Trace:
    """Runs everything in a file. The hazards are those of `check`, and of what it would not have looked at."""
    tracer = _Tracer(tree, source, rules.resolve())
    tracer.run()
    found = Trace(hazards=tracer.reported())
    for listener in tracer.listeners:
        _gather(listener, found)
    return found


def _gather(it: _Listener, found: Trace) -> None:
    seen: set[Write] = set()
    for mem, writes in it.written.items():
        saves = it.saves.get(mem, ())
        for written in writes:
            if written.write not in seen:
                seen.add(written.write)
                found.writes.append(written)
            for saved in saves:
                if saved.time < written.time:
                    ends = [(time, place) for time, place, nodes in it.ends if time > written.time and saved.node in nodes]
                    until = ends[0][0] if ends else it.time
                    number = sum(saved.time < other.time < until for other in writes)
                    found.hits.append(Hit(saved, written, number, tuple(place for _, place in ends)))
    found.backwards += [place for _, place, _ in it.ends]
