"""A tape as a table for the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from inplace_guard.runtime.sites import short
from inplace_guard.runtime.tape.model import Node, Order, Save, Tape

if TYPE_CHECKING:
    from inplace_guard.runtime.tape.savings import Candidate, Savings

__all__ = ["kib", "saved_words", "savings_text", "shape_words", "table", "totals"]


def kib(count: int) -> str:
    """`86.5 KiB`."""
    if count < 1024:
        return f"{count} B"
    return f"{count / 1024:.1f} KiB" if count < 1 << 20 else f"{count / (1 << 20):.1f} MiB"


def shape_words(shape: tuple[int, ...] | None) -> str:
    return "?" if shape is None else f"({', '.join(map(str, shape))})"


def saved_words(save: Save, node: Node, tape: Tape, shared: dict[int, list[str]]) -> str:
    """`input (1, 8, 64) float32 2.0 KiB, also #17 mat1`."""
    words = f"{save.name}: {save.role}"
    if save.source is not None:
        words += f" from #{save.source}"
    if save.storage is None:
        return f"{words}, {save.dtype}" if not save.nbytes else f"{words} {shape_words(save.shape)} {save.dtype}"
    words += f" {shape_words(save.shape)} {save.dtype} {kib(save.nbytes)}"
    storage = tape.storages[save.storage - 1]
    if storage.name is not None:
        words += f", {'parameter' if storage.parameter else 'buffer'} {storage.name}"
    others = [other for other in shared[save.storage] if other != f"#{node.number} {save.name}"]
    if others:
        words += f", shared with {', '.join(others[:3])}" + (f" and {len(others) - 3} more" if others[3:] else "")
    return words + ("  <- OVERWRITTEN" if save.clobbered else "")


def table(tape: Tape, order: Order = "backward", width: int = 0) -> str:
    """One line a node, one more for each save; the totals. `width`: cut longer lines (0: do not)."""
    nodes = tape.ordered(order)
    shared = shares(tape)
    rows = [_row(node) for node in nodes]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(len(rows[0]) if rows else 0)]
    lines = []
    for node, row in zip(nodes, rows, strict=True):
        lines.append("  ".join(cell.ljust(size) for cell, size in zip(row, widths, strict=True)).rstrip())
        lines += [f"{' ' * widths[0]}    saves {saved_words(save, node, tape, shared)}" for save in node.saved]
        if node.freed:
            lines.append(f"{' ' * widths[0]}    has run: what it saved is gone")
    lines += ["", *totals(tape)]
    return "\n".join(line if not width or len(line) <= width else line[: width - 1] + "…" for line in lines)


def shares(tape: Tape) -> dict[int, list[str]]:
    """Number of a storage -> all saves on it, as `#12 self`."""
    found: dict[int, list[str]] = {}
    for node in tape.ordered("forward"):
        for save in node.saved:
            if save.storage is not None:
                found.setdefault(save.storage, []).append(f"#{node.number} {save.name}")
    return found


def _row(node: Node) -> tuple[str, ...]:
    inputs = " ".join(f"#{number}" for number in node.inputs)
    where = f"{short(node.site)}  {node.site.source or ''}" if node.site is not None else ""
    shapes = " ".join(shape_words(shape) for shape in node.shapes) or "?"
    return f"#{node.number}", node.kind, shapes, node.module or "", f"<- {inputs}" if inputs else "", where


def totals(tape: Tape) -> Iterable[str]:
    total = tape.totals
    yield f"{total.nodes} nodes, {total.all_nodes} with the {total.accumulate} AccumulateGrad of the leaves"
    yield "  " + ", ".join(f"{count} {kind}" for kind, count in total.kinds)
    yield (
        f"{total.saves} saved tensors: {kib(total.distinct_bytes)} of activations "
        f"({kib(total.each_bytes)} if shared memory is counted each time), "
        f"and {kib(total.parameter_bytes)} of parameters by reference"
    )
    if total.freed:
        yield f"{total.freed} nodes were freed by an earlier backward: what they had saved is gone"
    if total.clobbered:
        yield f"{total.clobbered} saved tensors have been OVERWRITTEN since: this backward is wrong or raises"


def savings_text(found: Savings) -> str:
    """A table of the lines that could write in place, with what the proof measured."""
    lines: list[str] = []
    if found.proved:
        lines.append("These ops could write in place. Run so, loss and gradients are equal bit for bit.")
        rows = [("peak", "forward", "not made", "calls", "in place", "line")]
        rows += [
            (
                kib(c.peak),
                kib(c.forward_peak),
                kib(c.nbytes),
                str(c.calls),
                _how(c.inplace, c.position),
                _line(c),
            )
            for c in found.proved
        ]
        widths = [max(len(row[column]) for row in rows) for column in range(6)]
        for row in rows:
            numbers = "  ".join(cell.rjust(size) for cell, size in zip(row[:4], widths[:4], strict=True))
            lines.append(f"  {numbers}  {row[4].ljust(widths[4])}  {row[5]}".rstrip())
        less = found.before - found.together
        share = f", {100 * less / found.before:.1f} % less" if found.before else ""
        lines.append(f"All together: peak {kib(found.before)} -> {kib(found.together)}, {kib(less)}{share}.")
    else:
        lines.append(f"No op could write in place and save memory; the peak is {kib(found.before)}.")
    if found.dropped:
        lines += ["", "Dropped, because the proof failed:"]
        for candidate in found.dropped:
            how = _how(candidate.inplace, candidate.position)
            lines.append(f"  {how} at {_line(candidate)}: {candidate.why}")
    if found.refused:
        lines += ["", "Left as they are:"]
        lines += [f"  {count} calls: {reason}" for reason, count in found.refused.items()]
    lines += [
        "",
        "peak, forward: bytes less at the peak of the whole step and of its forward; not made: memory never allocated",
    ]
    return "\n".join(lines)


def _how(inplace: str, position: int) -> str:
    return inplace if not position else f"{inplace} into the second"


def _line(candidate: Candidate) -> str:
    modules = candidate.modules
    inside = f"  ({modules[0]}{f' and {len(modules) - 1} more' if len(modules) > 1 else ''})" if modules else ""
    return f"{short(candidate.site)}  {candidate.text}{inside}"
