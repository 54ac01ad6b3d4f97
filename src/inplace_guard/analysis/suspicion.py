"""Memory that something has made suspect: who reads it, or writes it, from then on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inplace_guard.analysis.tape import Hazard, Write
from inplace_guard.analysis.values import MULTI, YES, Tensor

if TYPE_CHECKING:
    from inplace_guard.analysis.machine import Machine


def read(machine: Machine, t: Tensor) -> None:
    """A read of memory that a custom Function wrote without saying so, or that a conversion may have shared."""
    for m in t.mem:
        unmarked = machine.heap.get(("unmarked", m))
        plain = machine.heap["grad"] and not machine.heap["function"]
        if plain and unmarked is not None and unmarked[1] not in machine.nodes(t):
            machine.report(Hazard("IPG205", unmarked[0], None, ("read", unmarked[1].place), certain=False))
        rebased = machine.heap.get(("rebased", m))
        if rebased is not None and t.view == MULTI and t.nodes and t.nodes[0].order < rebased[1]:
            machine.report(Hazard("IPG105", rebased[0]))
        chained = machine.heap.get(("chained", m))
        if chained is not None and t.origin.startswith("chained") and t.origin != chained[1]:
            machine.report(Hazard("IPG207", chained[0], certain=False))
        if t.origin in ("overwritten", "another name") and ("eaten", m) in machine.heap:
            code = "IPG212" if t.origin == "overwritten" else "IPG207"
            text = "shared" if ("buffer", m) in machine.heap else ""
            machine.report(Hazard(code, machine.heap["eaten", m], certain=False, text=text))
        if t.origin == "hooked" and t.stamp and machine.stamp(t) > t.stamp and t.sure:
            last = machine.mem(m).last
            if last is not None and last.how == "inplace" and last.sure and not last.weak:
                machine.report(Hazard("IPG207", last, certain=False))
        believed = machine.heap.get(("believed", m))
        if believed is not None and t.copy != believed[1] and not t.bypass and believed[0] not in machine.making:
            machine.report(Hazard("IPG212", believed[0], certain=False))
        converted = machine.heap.get(("converted", m))
        if converted is not None and t.mem < converted[1] and not t.bypass:
            machine.report(Hazard("IPG212", converted[0], certain=False))


def cut_short(machine: Machine, t: Tensor) -> None:
    """A read of a tensor whose history a detach_() took, under another name, before any backward had used it."""
    if t.cut == "maybe":  # this very name was detached on one of two ways
        return
    for m in t.mem:
        taken = machine.heap.get(("cut", m), ())
        if taken and any(node in taken and node not in machine.heap and node.req == YES for node in t.nodes):
            machine.report(
                Hazard("IPG303", Write("detach_", machine.heap["cut at", m], "inplace"), certain=False, text="cut")
            )


def written(machine: Machine, t: Tensor, m: int, write: Write) -> None:
    """A write to memory that is handed out again and again."""
    if ("shared", m) in machine.heap or (t.origin == "stored" and write.sure):
        machine.report(Hazard("IPG207", write, certain=False, text="shared"))
    if machine.heap["hooks"] == "checkpoint" and t.origin == "buffer":
        machine.report(Hazard("IPG209", write, certain=False, text="buffers"))
