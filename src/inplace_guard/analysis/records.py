"""Named tuples, and dataclasses that are read by number and by key: what most models return."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inplace_guard.analysis import picking
from inplace_guard.analysis.values import UNKNOWN, Const, Obj, Value

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter


def item(it: Interpreter, record: Obj, index: Value) -> Value:
    """`record[index]`."""
    if isinstance(index, Const) and isinstance(index.value, str):
        field: Value = it.heap.get((record.oid, index.value), UNKNOWN)
        return field
    return picking.seq_item(it, it.seq(items(it, record), "tuple"), index)


def items(it: Interpreter, record: Obj) -> list[Value]:
    """The fields in order; of a dataclass, those that are not None."""
    values = [it.heap.get((record.oid, name), UNKNOWN) for name in record.cls.all_fields]
    return values if record.cls.is_namedtuple else [v for v in values if not (isinstance(v, Const) and v.value is None)]
