"""One item of a list or dict by an index that may not be known: reading it, storing it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inplace_guard.analysis import joins
from inplace_guard.analysis.tape import join_mem
from inplace_guard.analysis.values import (
    UNKNOWN,
    Const,
    Dict,
    Index,
    Module,
    Number,
    Obj,
    Piece,
    Seq,
    Tensor,
    Value,
)

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter


def join_all(it: Interpreter, values: tuple[Value, ...] | list[Value]) -> Value:
    if not values:
        return UNKNOWN
    joined = values[0]
    for value in values[1:]:
        joined = joins.join(it, joined, value, it.heap, it.heap)
    return joined


def seq_item(it: Interpreter, seq: Seq, index: Value) -> Value:
    if isinstance(index, Index):
        at = stored_at(it, seq, index)
        items = it.heap.get((seq.oid, "[]"), ())
        return at[index] if index in at else one_of(it, items[index.least :] or items)
    items = it.items(seq)
    if isinstance(index, Const):
        if isinstance(index.value, slice):
            try:
                return it.seq(items[index.value], seq.kind, bool(it.heap.get((seq.oid, "open"))))
            except (TypeError, ValueError):
                return it.seq(items, seq.kind, open_end=True)
        if isinstance(index.value, int):
            if it.heap.get((seq.oid, "open")) and index.value < 0:
                return items[-1] if items else UNKNOWN
            try:
                return items[index.value]
            except IndexError:
                return items[-1] if items else UNKNOWN
    return one_of(it, items)


def store_in_seq(it: Interpreter, seq: Seq, index: Value, value: Value) -> None:
    if isinstance(index, Index):
        it.heap[seq.oid, "at"] = {**stored_at(it, seq, index), index: value}
        return
    items = list(it.items(seq))
    if isinstance(index, Const) and isinstance(index.value, int) and -len(items) <= index.value < len(items):
        items[index.value] = value
    else:
        items = [x if x is value else joins.join(it, x, value, it.heap, it.heap) for x in items] or [value]
    it.heap[seq.oid, "[]"] = tuple(items)


def stored_at(it: Interpreter, seq: Seq, index: Index) -> dict[Index, Value]:
    """What was stored by the numbers of the loop that counts with `index`."""
    at: dict[Index, Value] = it.heap.get((seq.oid, "at"), {})
    if any(other.loop is not index.loop for other in at):
        it.settle(seq)
        return {}
    return at


def one_of(it: Interpreter, values: tuple[Value, ...] | list[Value]) -> Value:
    """One of these, and another one the next time, perhaps."""
    value = join_all(it, values)
    return value.but(picked=True) if isinstance(value, Tensor) and len(value.mem) > 1 else value


def fewer(it: Interpreter, items: list[Value], most: int, alike: list[Value] | None = None) -> list[Value]:
    """Some of many items, the first and the last of them: where items are left out, what comes next follows on one of
    the same sort as in the whole (no ReLU on a ReLU that is followed by convolutions only). `alike` are the values that
    the items stand for."""
    sorts = [sort(it, value) for value in alike or items]
    start = next(j for j in range(len(items) - 1, 0, -1) if sorts[j - 1] == sorts[most - 2])
    return items[: most - 1] + items[start:]


def sort(it: Interpreter, value: Value, depth: int = 3) -> object:
    if isinstance(value, Module):
        return value.label, value.inplace
    if isinstance(value, Obj):
        return value.cls
    if isinstance(value, Seq) and depth:
        return value.kind, *(sort(it, part, depth - 1) for part in it.items(value))
    return Number if isinstance(value, Number) else type(value)


def separate(it: Interpreter, base: Dict, key: object) -> Value:
    """The item of a constant key of which nothing is known but what holds for all items: memory of its own from now on
    (that was kept and written so far like theirs)."""
    value = it.entries(base)["*"]
    if not isinstance(value, Tensor) or not it.nodes(value):
        return value
    mems = [it.mem(m) for m in sorted(value.mem)]
    joined = mems[0]
    for mem in mems[1:]:
        joined = join_mem(joined, mem)
    own = it.new_id()
    it.heap[own] = joined
    made = value.but(mem=frozenset((own,)))
    it.heap[base.oid, "{}"] = {**it.entries(base), key: made}
    return made


def strided(it: Interpreter, index: Value) -> bool:
    """`x[..., :k]`, `x[:, :k]`: pieces of rows, which do not lie side by side."""
    if not isinstance(index, Seq) or len(parts := it.items(index)) < 2:
        return False
    first, last = parts[0], parts[-1]
    whole = isinstance(first, Const) and first.value in (Ellipsis, slice(None))
    return whole and not isinstance(last, Index) and (type(last) is Number or is_piece(last))


def is_piece(index: Value) -> bool:
    if isinstance(index, Const):
        return isinstance(index.value, slice) and index.value != slice(None)
    return isinstance(index, Piece)
