"""What an op of the table keeps for its backward."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inplace_guard.analysis import torch_ops
from inplace_guard.analysis.machine import Kept
from inplace_guard.analysis.tape import Node
from inplace_guard.analysis.values import MAYBE, NO, UNKNOWN, Tensor, Value
from inplace_guard.ops.model import Overload

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter
    from inplace_guard.analysis.torch_ops import Bound


def save(
    it: Interpreter, overload: Overload, bound: Bound, recorded: Node, results: list[Value], written: list[Tensor]
) -> None:
    kept: list[Kept] = []
    for s in overload.saves:
        req = recorded.req
        if s.gates:
            if "others" in s.gates:
                kept += among(it, it.tensors(bound.get(s.what, UNKNOWN)))
                continue
            gates = [t for gate in s.gates if gate in bound for t in it.tensors(bound[gate]) if it.sure(t)]
            req = max((torch_ops.effective_req(it, t) for t in gates), default=NO)
        if s.when and s.when != "~":
            held = torch_ops.holds(s.when, overload, bound)
            if held is False:
                continue
            req = req if held else min(req, MAYBE)
        if not req:
            continue
        if s.what.startswith("result"):
            number = int(s.what[6:] or 0)
            value = results[number] if number < len(results) else UNKNOWN
        else:
            value = bound.get(s.what, UNKNOWN)
        for t in it.tensors(value):
            kept.append((t, s.what, "op", req))
    it.keep(recorded, kept)
    if written and not overload.unversioned and op_writes_operand(kept, written):
        # What an in-place op keeps of its other operands is kept before it writes.
        for kept_save in recorded.saves:
            if not kept_save.what.startswith("result") and any(kept_save.mem in w.mem for w in written):
                last = it.mem(kept_save.mem).last
                if last is not None:
                    it.heap[kept_save] = last


def op_writes_operand(kept: list[Kept], written: list[Tensor]) -> bool:
    return any(
        (not what.startswith("result") and any(t.mem & w.mem for w in written) and t is not written[0])
        or (what not in ("self", "input") and not what.startswith("result") and t is written[0])
        for t, what, _, _ in kept
    )


def among(it: Interpreter, items: list[Tensor]) -> list[Kept]:
    """Of several operands, each is kept if another one requires grad."""
    reqs = [torch_ops.effective_req(it, t) for t in items]
    kept: list[Kept] = []
    for i, t in enumerate(items):
        req = max((r for k, r in enumerate(reqs) if k != i), default=NO)
        if req:
            kept.append((t, "input", "op", req))
    return kept
