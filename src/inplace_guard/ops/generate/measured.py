"""Facts found by running: every signature with the samples that it takes, merged into one overload."""

from __future__ import annotations

import contextlib
import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from inplace_guard.ops.generate.binding import Bound, bind
from inplace_guard.ops.generate.calls import Observed, Returned, observe
from inplace_guard.ops.generate.conditions import condition
from inplace_guard.ops.generate.samples import Given
from inplace_guard.ops.model import Overload, Param, Relation, Result, Save


def overload(
    function: Callable[..., Any], params: tuple[Param, ...], given: Given, defaults: dict[str, Any]
) -> Overload | None:
    """What the samples that this signature takes show, or None if none of them ran."""
    seen = observations(function, params, given, defaults)
    name = getattr(function, "__name__", "")
    in_place = name.endswith("_") and not name.endswith("__")
    return merge(params, seen, defaults, in_place=in_place) if seen else None


def observations(
    function: Callable[..., Any], params: tuple[Param, ...], given: Given, defaults: dict[str, Any]
) -> list[Observed]:
    """One observation for each sample, contiguous and not, that the signature takes and that runs."""
    seen = []
    bound = [
        (one, own) for (args, kwargs), own in given.all() if (one := bind(params, args, kwargs, defaults)) is not None
    ]
    for one, own in [*bound, *_flipped(bound[:3], params)]:
        for strided in (False, True):
            with warnings.catch_warnings(), contextlib.suppress(Exception):
                warnings.simplefilter("ignore")
                seen.append(replace(observe(function, one, strided), own=own))
    return seen


def _flipped(bound: list[tuple[Bound, bool]], params: tuple[Param, ...]) -> Iterable[tuple[Bound, bool]]:
    """The first samples again with one boolean argument turned round, to see what it decides."""
    for one, own in bound:
        for param in params:
            value = one.values().get(param.name)
            if isinstance(value, bool) and param.name not in one.positional:
                yield replace(one, arguments={**one.arguments, param.name: not value}), own


def merge(params: tuple[Param, ...], seen: list[Observed], defaults: dict[str, Any], *, in_place: bool) -> Overload:
    """One overload out of several calls. `in_place`: its name says that it returns its first argument."""
    order = [p.name for p in params]
    differentiable = {name for one in seen for name in one.differentiable}
    found = Overload(
        params=params,
        results=_results(seen, in_place),
        writes=_writes(seen, order),
        saves=saves(seen, order),
        differentiable=tuple(n for n in order if n in differentiable),
        records=any(one.recorded for one in seen),
        unversioned=tuple(n for n in order if any(n in one.unversioned for one in seen)),
        no_grad=any(one.writes_leaf for one in seen) and all(one.writes_leaf is not False for one in seen),
    )
    return _with_defaults(found, defaults)


def _with_defaults(found: Overload, defaults: dict[str, Any]) -> Overload:
    """Keep the defaults of those parameters that a condition names."""
    texts = [save.when for save in found.saves] + [write.partition("?")[2] for write in found.writes]
    named = {re.split("!?=", part.lstrip("!"))[0] for text in texts for part in text.split("&")}
    params = tuple(
        replace(p, default=repr(defaults[p.name])) if p.name in named and p.name in defaults else p
        for p in found.params
    )
    return replace(found, params=params)


def _writes(seen: list[Observed], order: list[str]) -> tuple[str, ...]:
    writes = []
    for name in order:
        deciding = [one for one in seen if name in one.present]
        if any(name in one.writes for one in deciding):
            when = depends([(one, name in one.writes) for one in deciding])
            writes.append(f"{name}?{when}" if when else name)
    return tuple(writes)


def saves(seen: list[Observed], order: list[str]) -> tuple[Save, ...]:
    gates: dict[str, set[str]] = {}
    able: dict[str, set[str]] = {}
    for one in seen:
        for what, triggers in one.saves.items():
            gates.setdefault(what, set()).update(triggers)
            able.setdefault(what, set()).update(one.differentiable)
    found = []
    for what in sorted(gates, key=lambda name: (order.index(name) if name in order else len(order), name)):
        # An argument that is not contiguous is often copied first: only contiguous ones decide.
        deciding = [one for one in seen if one.recorded and not one.strided and what in one.present]
        when = depends([(one, what in one.saves) for one in deciding])
        others = [one.others[what] for one in seen if what in one.others]
        if others and all(others):
            found.append(Save(what, ("others",), when))
            continue
        always = gates[what] >= able[what] or not gates[what]
        save = Save(what, () if always else tuple(n for n in order if n in gates[what]), when)
        found.append(save if all(_predicted(save, one) for one in deciding) else replace(save, when=when or "~"))
    return tuple(found)


def _predicted(save: Save, one: Observed) -> bool:
    """Whether the gates of all samples together are those of this one."""
    triggers = one.saves.get(save.what)
    if triggers is None:
        return True
    return save.what in one.together and triggers == (
        one.differentiable & set(save.gates) if save.gates else one.differentiable
    )


def depends(deciding: list[tuple[Observed, bool]]) -> str:
    """The condition by our own samples if there are any; "~" if others contradict its "always"."""
    own = [pair for pair in deciding if pair[0].own] or deciding
    if not own:
        return ""
    when = condition([(one.values, happened) for one, happened in own])
    return "~" if when == "" and not all(happened for _, happened in deciding) else when


def _results(seen: list[Observed], in_place: bool) -> tuple[Result, ...]:
    some = [one for one in seen if one.results]
    if not some:
        return (Result(differentiable=False, tensor=False),)
    quiet = [one for one in some if not one.writes] or some
    if any(one.shape == "sequence" for one in some):
        merged = _result([(leaf, one) for one in quiet for leaf in one.results], in_place)
        return (replace(merged, sequence=True),)
    count = min(len(one.results) for one in quiet)
    return tuple(_result([(one.results[index], one) for one in quiet], in_place) for index in range(count))


def _result(pairs_seen: list[tuple[Returned, Observed]], in_place: bool) -> Result:
    having = [leaf for leaf, _ in pairs_seen]
    seen = [one for _, one in pairs_seen]
    pairs = sorted({(leaf.relation, leaf.of) for leaf in having if leaf.relation})
    relations = {relation for relation, _ in pairs}
    of = next((name for relation, name in pairs if relation != "new"), "")
    written = {name for one in seen for name in one.writes}
    relation: Relation = "maybe"
    if relations <= {"new"}:
        relation = "new"
    elif relations == {"view"}:
        relation = "view"
    elif relations == {"same"} and (of in written or in_place):
        relation = "same"  # an argument that is returned untouched could be copied under other circumstances
    dtypes = {leaf.dtype for leaf in having}
    return Result(
        relation,
        of,
        many=relation != "new" and any(leaf.many for leaf in having),
        expanded=relation != "new" and any(leaf.expanded for leaf in having),
        differentiable=any(leaf.requires_grad for leaf in having),
        # Integers out of integers are the inputs' own kind; out of floats, or of nothing, they are the op's.
        dtype=dtypes.pop() if len(dtypes) == 1 and any(one.floats or not one.tensors for one in seen) else "",
        tensor=any(leaf.tensor for leaf in having),
        when=aliases_when(pairs_seen) if relation == "maybe" else "",
    )


def aliases_when(pairs: list[tuple[Returned, Observed]]) -> str:
    """The arguments on which it depends whether the result is an old tensor, if it depends on them."""
    labelled = [(one, leaf.relation != "new") for leaf, one in pairs if leaf.relation]
    when = depends(labelled) if labelled else ""
    return "" if when in ("~", "?") else when
