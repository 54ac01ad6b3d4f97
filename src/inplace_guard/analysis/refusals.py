"""Writes that PyTorch refuses where they are made, or that are right and still not wanted (the opinions, IPG9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inplace_guard.analysis.tape import Hazard, Write
from inplace_guard.analysis.values import MULTI, YES, Tensor, Value

if TYPE_CHECKING:
    from inplace_guard.analysis.machine import Machine

# To expanded memory: one value for all elements is one value for the memory, too; a mask or index only warns.
CONSTANT_WRITES = frozenset({"fill_", "zero_"})
WARNED_WRITES = frozenset({"masked_fill_", "index_fill_", "masked_scatter_", "index_put_"})


def refused(machine: Machine, t: Tensor, write: Write, whole: bool) -> None:
    """A recorded write to a leaf, to a view of one, or to one of several views that an op made."""
    if machine.leaf(t):
        if machine.leaves_count:
            machine.report(Hazard("IPG103" if whole else "IPG104", write, certain=not write.weak))
    elif t.leaf_view:
        if machine.leaves_count:
            machine.report(Hazard("IPG104", write, certain=not write.weak))
    elif t.view == MULTI and (machine.req(t) == YES or t.shadow):
        machine.report(Hazard("IPG105", write, certain=not write.weak))
    else:
        expanded(machine, t, write, whole)


def replaced(machine: Machine, old: object, new: Value) -> None:
    """`layer.bias = nn.Parameter(b)` while a model is built, where b is what `layer.bias` was, or a view of it: most
    likely that was a parameter already, and an in-place write to it before was refused."""
    if not machine.leaves_count or not isinstance(old, Tensor) or not isinstance(new, Tensor) or new.origin != "param":
        return
    source = new.mem.union(*(machine.heap.get(("made of", m), ()) for m in new.mem))
    for m in sorted(old.mem & source) if old.origin != "param" else ():
        mem = machine.mem(m)
        if mem.last is not None and mem.last.how == "inplace":
            first = Write(mem.hist[0].op, mem.hist[0].place, "inplace") if mem.hist else mem.last
            machine.report(Hazard("IPG104" if mem.last.part else "IPG103", first, certain=False))


def expanded(machine: Machine, t: Tensor, write: Write, whole: bool) -> None:
    """A write to memory in which several elements are one."""
    if t.expanded and write.sure and write.op not in CONSTANT_WRITES:
        silent = not whole or write.op in WARNED_WRITES
        machine.report(Hazard("IPG211" if silent else "IPG106", write, certain=False))


def opinion(machine: Machine, t: Tensor, write: Write) -> None:
    if write.place.file is None and write.how in ("inplace", "no_grad", "data") and machine.sure(t):
        if "IPG901" in machine.opinions and machine.req(t.but(detached=False)) == YES:
            machine.report(Hazard("IPG901", write))
        if "IPG902" in machine.opinions and t.mem & machine.frame.given and write.how != "no_grad":
            machine.report(Hazard("IPG902", write))
