"""Joining what two branches left behind."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from inplace_guard.analysis.tape import Mem, Save, join_mem
from inplace_guard.analysis.values import (
    NOTHING,
    NUMBER,
    UNKNOWN,
    Const,
    Dict,
    Either,
    Number,
    Seq,
    Tensor,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from inplace_guard.analysis.machine import Machine

MOST_OPTIONS = 6


def join_into(
    machine: Machine,
    ours: dict[Any, Any],
    theirs: dict[Any, Any],
    heap: dict[Any, Any],
    other: dict[Any, Any],
    keys: Iterable[Any],
) -> None:
    """Join `theirs` into `ours` at these keys; `heap` and `other` are where the two branches' containers have their
    items."""
    for key in tuple(keys):
        b = theirs.get(key)
        a = ours.get(key)
        if a is b or b is None:
            continue
        if a is None:
            ours[key] = b
        elif type(a) is Mem:
            ours[key] = join_mem(a, b)
        elif type(a) is tuple:
            if key[1] == "fields":
                pass
            elif key[1] == "[]":
                ours[key] = join_items(machine, a, b, heap, other)
            elif key[0] == "cut":
                ours[key] = tuple(dict.fromkeys(a + b))
        elif type(a) is dict:
            ours[key] = {
                k: join(machine, a[k], b[k], heap, other) if k in a and k in b else a[k] if k in a else b[k]
                for k in dict.fromkeys((*a, *b))
            }
        elif isinstance(a, Value) and isinstance(b, Value):
            ours[key] = join(machine, a, b, heap, other)


def join_items(
    machine: Machine, a: tuple[Value, ...], b: tuple[Value, ...], heap: dict[Any, Any], other: dict[Any, Any]
) -> tuple[Value, ...]:
    if len(a) != len(b):  # one branch appended more: its list, rather than a mixture that never was
        return a if len(a) > len(b) else b
    return tuple(x if x is y else join(machine, x, y, heap, other) for x, y in zip(a, b, strict=True))


def join(machine: Machine, a: Value, b: Value, heap: dict[Any, Any], other: dict[Any, Any]) -> Value:
    """The least value that covers both, near enough: where one side is a tensor and the other is None or a number, the
    tensor is what matters."""
    if a is b:
        return a
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return join_tensors(a, b, heap, other)
    if isinstance(a, Const) and isinstance(b, Const):
        if type(a.value) is type(b.value) and a.value == b.value:
            return a
        if a.value is None or b.value is None:
            return UNKNOWN
        return NUMBER
    for x, y in ((a, b), (b, a)):
        if isinstance(x, Unknown):
            return y if isinstance(y, Tensor) else UNKNOWN
        if isinstance(x, (Const, Number)):
            return NUMBER if isinstance(y, (Const, Number)) else y
    if isinstance(a, Seq) and isinstance(b, Seq) and a.kind == b.kind and (a.oid == b.oid or a.kind != "sequential"):
        if a.oid == b.oid:
            return a
        machine.tick()  # lists of lists of lists: each level may double what there is to do
        items = join_items(machine, heap.get((a.oid, "[]"), ()), other.get((b.oid, "[]"), ()), heap, other)
        oid = machine.new_id()
        heap[oid, "[]"] = items
        heap[oid, "open"] = True
        return Seq(oid, a.kind)
    if isinstance(a, Dict) and isinstance(b, Dict) and a.oid == b.oid:
        return a
    options: list[Value] = []
    for x in (a, b):
        for option in x.options if isinstance(x, Either) else (x,):
            if not any(same(option, known) for known in options):
                options.append(option)
    if len(options) == 1:
        return options[0]
    if len(options) > MOST_OPTIONS:
        return UNKNOWN
    return Either(tuple(options))


def same(a: Value, b: Value) -> bool:
    if a is b:
        return True
    oid = getattr(a, "oid", None)
    return type(a) is type(b) and oid is not None and oid == getattr(b, "oid", None)


def elsewhere(a: Tensor, b: Tensor, heap: dict[Any, Any], other: dict[Any, Any]) -> frozenset[Save]:
    """Saves made on one branch of memory that the value has on the other branch only: `x = norm(x)` on one, x as it
    was on the other, means that a later write to x never hits what norm saved."""
    found = set(a.spared & b.spared) if a.spared and b.spared else set()
    for only, theirs, ours in ((a.mem - b.mem, other, heap), (b.mem - a.mem, heap, other)):
        for m in only:
            there, here = theirs.get(m), ours.get(m)
            if there is not None and there.saves and there is not here:
                known = here.saves if here is not None else ()
                found.update(save for save in there.saves if save not in known)
    for value, theirs in ((a, other), (b, heap)):
        for save in value.spared:
            there = theirs.get(save.mem)
            if save.mem in a.mem ^ b.mem or there is None or save not in there.saves:
                found.add(save)
    return frozenset(found) if found else NOTHING


def join_tensors(a: Tensor, b: Tensor, heap: dict[Any, Any], other: dict[Any, Any]) -> Tensor:
    spared = a.spared if a.mem == b.mem and a.spared is b.spared else elsewhere(a, b, heap, other)
    return Tensor(
        a.mem if a.mem == b.mem else a.mem | b.mem,
        max(a.req, b.req) if a.req == b.req else (max(a.req, b.req) and 1 if min(a.req, b.req) == 0 else 1),
        a.nodes if a.nodes == b.nodes else tuple(dict.fromkeys(a.nodes + b.nodes)),
        sure=a.sure and b.sure,
        view=a.view if a.view == b.view else min(a.view, b.view),
        leaf_view=a.leaf_view and b.leaf_view,
        expanded=a.expanded and b.expanded,
        kind=a.kind if a.kind == b.kind else "",
        bypass=a.bypass if a.bypass == b.bypass else "",
        detached=a.detached and b.detached,
        cut=a.cut if a.cut == b.cut else "maybe" if "detach" in (a.cut, b.cut) else "",
        stamp=max(a.stamp, b.stamp),
        origin=a.origin if a.origin == b.origin else "",
        many=a.many or b.many,
        picked=a.picked or b.picked,
        copy=a.copy or b.copy,
        spared=spared,
    )
