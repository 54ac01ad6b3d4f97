"""When saved memory is really freed: a backward watched through hooks on the nodes and weak references to the storages.

A step of the time line is one node: in the forward the node that was made, in the backward the node that ran.
AccumulateGrad nodes are not counted; what dies while one runs dies in the step before.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from inplace_guard.runtime.tape.collect import Collected
from inplace_guard.runtime.tape.model import Tape

__all__ = ["Bar", "Lifetimes", "measure", "predict"]


@dataclass(frozen=True, slots=True)
class Bar:
    """One storage: saved when node `born` was made; last read in backward step `read` (None: not reached), freed in
    step `died` (None: it outlives the backward, because something else holds it or the backward stopped). Parameters
    have a bar only if they were overwritten."""

    storage: int
    born: int
    read: int | None
    died: int | None


@dataclass(frozen=True, slots=True)
class Lifetimes:
    """`order` are the numbers of the nodes that backward ran, in that order. `measured`: by running it; otherwise the
    order is the engine's rule, and memory is taken to be freed when it was last read."""

    order: tuple[int, ...]
    bars: tuple[Bar, ...]
    measured: bool
    error: str | None = None
    stopped_at: int | None = None  # the node whose backward raised
    curve: tuple[int, ...] = field(default=(), repr=False)  # bytes held after each step, forward and then backward

    @property
    def peak(self) -> int:
        return max(self.curve, default=0)


def measure(collected: Collected, backward: Callable[[], Any]) -> Lifetimes:
    """Runs `backward`, which spends the graph. `collected` gives up what it holds, so that memory can die."""
    tape = collected.tape
    leaves = {node.number for node in tape.nodes if node.leaf is not None}
    order: list[int] = []
    died: dict[int, int] = {}
    hooks = []

    def before(number: int) -> Callable[[Any], None]:
        def note(_: Any) -> None:
            order.append(number)

        return note

    def dead(number: int) -> Callable[[Any], None]:
        def note(_: Any) -> None:
            died[number] = len(order)

        return note

    while collected.nodes:
        number, node = collected.nodes.popitem()
        if number not in leaves:
            hooks.append(node.register_prehook(before(number)))
    del node
    watching = [weakref.ref(storage, dead(number)) for number, storage in collected.memory.items()]
    collected.memory.clear()
    error = None
    try:
        backward()
    except Exception as raised:  # a custom backward may raise anything
        error = (str(raised) or type(raised).__name__).split("\n")[0].split(" Hint:")[0]
        del raised
    ended = dict(died)  # what dies later is not the backward's doing
    del watching
    for hook in hooks:
        hook.remove()
    steps = len(order)
    return _lifetimes(tape, order, lambda number, _: ended.get(number), measured=True, error=error, steps=steps)


def predict(tape: Tape) -> Lifetimes:
    leaves = {node.number for node in tape.nodes if node.leaf is not None}
    order = [number for number in tape.predicted if number not in leaves]
    return _lifetimes(tape, order, lambda _, read: read, measured=False, error=None, steps=len(order))


def _lifetimes(
    tape: Tape,
    order: list[int],
    died: Callable[[int, int | None], int | None],
    *,
    measured: bool,
    error: str | None,
    steps: int,
) -> Lifetimes:
    position = {number: index for index, number in enumerate(order, start=1)}
    ran = set(order[:-1]) if error is not None else set(order)
    broken = {save.storage for node in tape.nodes for save in node.saved if save.clobbered}
    bars = []
    inner = sum(node.leaf is None for node in tape.nodes)
    change = [0] * (inner + steps + 2)
    for storage in tape.storages:
        if storage.parameter and storage.number not in broken:
            continue
        reads = [position[saver] for saver in storage.savers if saver in position]
        read = max(reads) if len(reads) == len(storage.savers) and ran.issuperset(storage.savers) else None
        bar = Bar(storage.number, storage.savers[0], read, died(storage.number, read))
        bars.append(bar)
        if storage.parameter:
            continue
        change[bar.born] += storage.nbytes
        if bar.died is not None:
            change[inner + bar.died + 1] -= storage.nbytes  # the node that frees it still has it while it runs
    curve, held = [], 0
    for step in range(1, inner + steps + 2):
        held += change[step]
        curve.append(held)
    stopped = order[-1] if error is not None and order else None
    return Lifetimes(tuple(order), tuple(bars), measured, error, stopped, tuple(curve))
