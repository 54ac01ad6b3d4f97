"""Facts of every public torch.nn module class, found by running the samples of ModuleInfo."""

from __future__ import annotations

import contextlib
import inspect
import warnings
from collections.abc import Iterable
from typing import Any

import torch
from torch.testing._internal.common_modules import module_db

from inplace_guard.ops.generate.calls import differentiable, fresh, rebuild, saved_tensors, storage, tensors_in
from inplace_guard.ops.model import ModuleFacts, Save

_LIMIT = 8


def table() -> dict[str, str]:
    """Text of the facts of each class, by its dotted name."""
    infos = {info.module_cls: info for info in module_db}
    found = {}
    for name in sorted(dir(torch.nn)):
        cls = getattr(torch.nn, name)
        if isinstance(cls, type) and issubclass(cls, torch.nn.Module) and not name.startswith("_"):
            found[f"torch.nn.{name}"] = encode(facts(name, cls, infos.get(cls)))
    return found


def encode(item: ModuleFacts) -> str:
    """saves|flags|inplace index|returns|results"""
    from inplace_guard.ops.codec import encode_save

    flags = "".join(
        letter
        for letter, present in (
            ("p", item.has_params),
            ("i", item.inplace),
            ("b", item.writes_buffers),
            ("u", not item.versioned),
            ("e", item.expanded),
        )
        if present
    )
    saves = ",".join(map(encode_save, item.saves))
    return f"{saves}|{flags}|{item.inplace_index}|{item.returns[0]}|{item.results}"


def facts(name: str, cls: type[torch.nn.Module], info: Any) -> ModuleFacts:
    """Facts of one class. Without samples only those of its constructor are known."""
    parameters = list(inspect.signature(cls.__init__).parameters)[1:]
    inplace_index = parameters.index("inplace") if "inplace" in parameters else -1
    seen: list[dict[str, Any]] = []
    for module, args, kwargs in _samples(info):
        with warnings.catch_warnings(), contextlib.suppress(Exception):
            warnings.simplefilter("ignore")
            seen.append(_observe(module, args, kwargs))
    if not seen:
        return ModuleFacts(name, inplace=inplace_index >= 0, inplace_index=inplace_index)
    has_params = any(one["has_params"] for one in seen)
    relations = {relation for one in seen for relation in one["relations"]}
    return ModuleFacts(
        name=name,
        saves=_saves(seen, has_params),
        has_params=has_params,
        inplace=inplace_index >= 0,
        inplace_index=inplace_index,
        returns="new" if relations <= {"new"} else "view" if relations == {"view"} else "maybe",
        results=max(one["results"] for one in seen) if not any(one["nested"] for one in seen) else 0,
        writes_buffers=any(one["writes"] for one in seen),
        versioned=not any(one["unversioned"] for one in seen),
        expanded=any(one["expanded"] for one in seen),
    )


def _samples(info: Any) -> Iterable[tuple[torch.nn.Module, tuple[Any, ...], dict[str, Any]]]:
    if info is None:
        return
    for training in (True, False):
        try:
            inputs = info.module_inputs_func(
                info, device="cpu", dtype=torch.float32, requires_grad=False, training=training
            )
        except Exception:
            continue
        for sample in inputs[:_LIMIT]:
            if sample.forward_input is None:
                continue
            kwargs = dict(sample.constructor_input.kwargs)
            kwargs.pop("inplace", None)
            with contextlib.suppress(Exception):
                module = info.module_cls(*sample.constructor_input.args, **kwargs)
                module.train(training)
                yield module, tuple(sample.forward_input.args), dict(sample.forward_input.kwargs)


def _observe(module: torch.nn.Module, args: Any, kwargs: Any) -> dict[str, Any]:
    one: dict[str, Any] = {"saves": {}, "relations": set(), "writes": False, "unversioned": False}
    params = list(module.parameters())
    one["has_params"] = bool(params)
    for params_on, input_on in ((True, True), (False, True), (True, False)):
        for param in params:
            param.requires_grad_(params_on and differentiable(param))
        one["expanded"] = False
        _run(
            module,
            args,
            kwargs,
            input_on,
            one,
            "both" if params_on and input_on else "params" if params_on else "input",
        )
    return one


def _run(module: torch.nn.Module, args: Any, kwargs: Any, input_on: bool, one: dict[str, Any], label: str) -> None:
    def make(tensor: torch.Tensor) -> torch.Tensor:
        return fresh(tensor, input_on and differentiable(tensor), False)

    given, named = rebuild(args, make), rebuild(kwargs, make)
    inputs = list(tensors_in(given)) + list(tensors_in(named))
    stop = {t.grad_fn for t in inputs if t.grad_fn is not None}
    homes = {storage(t): f"input{index}" for index, t in enumerate(inputs)}
    homes.update({storage(t): "params" for t in module.parameters()})
    homes.update({storage(t): "buffers" for t in module.buffers()})
    homes.pop(0, None)
    buffers = list(module.buffers())
    before = [(b._version, b.clone()) for b in buffers]
    torch.manual_seed(0)
    value = module(*given, **named)
    results = list(tensors_in(value))
    for buffer, (version, old) in zip(buffers, before, strict=True):
        if not torch.equal(buffer, old):
            one["writes"] = True
            one["unversioned"] = one["unversioned"] or (buffer._version == version and differentiable(buffer))
    if label == "both":
        one["results"] = len(results)
        one["nested"] = isinstance(value, (tuple, list)) and any(not isinstance(v, torch.Tensor) for v in value)
        for result in results:
            home = homes.get(storage(result), "")
            one["relations"].add(
                "new" if not home.startswith("input") else "same" if any(result is t for t in inputs) else "view"
            )
    places = {storage(result): index for index, result in reversed(list(enumerate(results)))}
    for tensor in saved_tensors(results, stop):
        where = storage(tensor)
        what = homes.get(where)
        if what is None and where and where in places:
            what = "result" if len(results) == 1 else f"result{places[where]}"
        if what is not None:
            one["saves"].setdefault(what, set()).add(label)
    one["inputs"] = len(inputs)


def _saves(seen: list[dict[str, Any]], has_params: bool) -> tuple[Save, ...]:
    labels: dict[str, set[str]] = {}
    for one in seen:
        for what, triggers in one["saves"].items():
            labels.setdefault("input" if what == "input0" and one["inputs"] == 1 else what, set()).update(triggers)
    gated: dict[str, Save] = {}
    for what, triggers in sorted(labels.items()):
        only = triggers - {"both"}
        gates: tuple[str, ...] = ()
        if has_params and only == {"params"}:
            gates = ("params",)
        elif has_params and only == {"input"}:
            gates = ("input",)
        gated[what] = Save(what, gates)
    return tuple(gated.values())
