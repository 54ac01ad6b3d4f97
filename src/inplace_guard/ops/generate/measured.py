"""Facts found by running: every callable that has samples, each of its overloads on its own."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from inplace_guard.ops.generate.binding import bind
from inplace_guard.ops.generate.calls import Observed, observe
from inplace_guard.ops.generate.samples import Sample
from inplace_guard.ops.model import Overload, Param, Relation, Result, Save


def overload(
    function: Callable[..., Any], params: tuple[Param, ...], samples: Sequence[Sample], flag: str = ""
) -> Overload | None:
    """What the samples that this signature takes show, or None if none of them ran."""
    seen: list[Observed] = []
    for args, kwargs in samples:
        bound = bind(params, args, kwargs)
        if bound is None:
            continue
        for strided in (False, True):
            with warnings.catch_warnings(), contextlib.suppress(Exception):
                warnings.simplefilter("ignore")
                seen.append(observe(function, bound.arguments, bound.call, strided))
    return merge(params, seen) if seen else None


def merge(params: tuple[Param, ...], seen: list[Observed]) -> Overload:
    """One overload out of several calls."""
    differentiable = {name for one in seen for name in one.differentiable}
    writes = {name for one in seen for name in one.writes}
    order = [p.name for p in params]
    return Overload(
        params=params,
        results=_results(seen),
        writes=tuple(n for n in order if n in writes),
        saves=_saves(seen, order),
        differentiable=tuple(n for n in order if n in differentiable),
        records=bool(differentiable),
        unversioned=tuple(n for n in order if any(n in one.unversioned for one in seen)),
    )


def _saves(seen: list[Observed], order: list[str]) -> tuple[Save, ...]:
    gates: dict[str, set[str]] = {}
    able: dict[str, set[str]] = {}
    for one in seen:
        for what, triggers in one.saves.items():
            gates.setdefault(what, set()).update(triggers)
            able.setdefault(what, set()).update(one.differentiable)
    saves = []
    for what in sorted(gates, key=lambda name: (order.index(name) if name in order else len(order), name)):
        others = [one.others[what] for one in seen if what in one.others]
        if others and all(others):
            saves.append(Save(what, ("others",)))
        elif gates[what] >= able[what] or not gates[what]:
            saves.append(Save(what))
        else:
            saves.append(Save(what, tuple(n for n in order if n in gates[what])))
    return tuple(saves)


def _results(seen: list[Observed]) -> tuple[Result, ...]:
    if not any(one.tensor_result for one in seen):
        return (Result(differentiable=False, tensor=False),)
    some = [one for one in seen if one.tensor_result]
    if any(one.sequence for one in some):
        flat = [_result(some, index) for index in range(max(len(one.relations) for one in some))]
        first = flat[0]
        many = first.relation == "view" and any(any(one.many) for one in some)
        return (Result(first.relation, first.of, many, first.expanded, first.differentiable, first.dtype),)
    count = min(len(one.relations) for one in some)
    return tuple(_result(some, index) for index in range(count))


def _result(seen: list[Observed], index: int) -> Result:
    having = [one for one in seen if index < len(one.relations)]
    pairs = {one.relations[index] for one in having}
    relations = {relation for relation, _ in pairs}
    of = next((name for relation, name in sorted(pairs) if relation != "new"), "")
    relation: Relation = "maybe"
    if relations == {"new"}:
        relation = "new"
    elif relations == {"view"}:
        relation = "view"
    elif relations == {"same"} and all(of in one.writes for one in having):
        relation = "same"
    dtypes = {one.dtypes[index] for one in having}
    return Result(
        relation,
        of,
        many=any(one.many[index] for one in having),
        expanded=any(one.expanded[index] for one in having) and relation != "new",
        differentiable=any(one.grads[index] for one in having),
        dtype=dtypes.pop() if len(dtypes) == 1 else "",
    )
