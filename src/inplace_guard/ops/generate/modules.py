"""Facts of every public torch.nn module class, found by running it on samples."""

from __future__ import annotations

import contextlib
import inspect
import itertools
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.func import functional_call
from torch.testing._internal.common_modules import module_db

from inplace_guard.ops.codec import encode_module
from inplace_guard.ops.generate import measured
from inplace_guard.ops.generate.binding import Bound
from inplace_guard.ops.generate.calls import Observed, observe
from inplace_guard.ops.generate.own_modules import SAMPLES
from inplace_guard.ops.model import ModuleFacts, Save

_LIMIT = 10
# Bases and containers do nothing of their own.
_LEFT_OUT = frozenset(
    ("Module", "Container", "Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict", "DataParallel",
     "RNNBase", "RNNCellBase")
)  # fmt: skip


@dataclass
class _ModuleCall(Bound):
    """A call of a module with its parameters and buffers as further arguments."""

    module: Any = None
    keywords: tuple[str, ...] = ()
    constructor: dict[str, Any] = field(default_factory=dict)

    def values(self) -> dict[str, Any]:
        return self.constructor

    def call(self, function: Callable[..., Any], given: dict[str, Any]) -> Any:
        state = {**given.get("params", {}), **given.get("buffers", {})}
        args = tuple(given[name] for name in self.positional)
        return functional_call(self.module, state, args, {name: given[name] for name in self.keywords})


def table() -> dict[str, str]:
    """Text of the facts of each class, by its dotted name."""
    found = {dotted: encode_module(facts(dotted, cls)) for dotted, cls in classes() if _becomes(cls) is None}
    lazy = {dotted: _becomes(cls) for dotted, cls in classes()}
    return found | {dotted: found[f"torch.nn.{target}"] for dotted, target in lazy.items() if target}


def _becomes(cls: type[torch.nn.Module]) -> str | None:
    """The class whose facts this one shares: a lazy module turns into it; SyncBatchNorm trains on GPUs only."""
    if cls is torch.nn.SyncBatchNorm:
        return "BatchNorm2d"
    target = getattr(cls, "cls_to_become", None)
    return target.__name__ if target else None


def classes() -> Iterator[tuple[str, type[torch.nn.Module]]]:
    """Public module classes of torch.nn."""
    for name in sorted(dir(torch.nn)):
        cls = getattr(torch.nn, name)
        if isinstance(cls, type) and issubclass(cls, torch.nn.Module) and name not in _LEFT_OUT:
            yield f"torch.nn.{name}", cls


def facts(dotted: str, cls: type[torch.nn.Module]) -> ModuleFacts:
    """Facts of one class."""
    parameters = list(inspect.signature(cls.__init__).parameters)[1:]
    index = parameters.index("inplace") if "inplace" in parameters else -1
    plain = observations(cls, inplace=False)
    if not plain:
        raise RuntimeError(f"no sample of {dotted} runs: add one to own_modules.py")
    return ModuleFacts(
        name=dotted.rpartition(".")[2],
        saves=_saves(plain),
        has_params=any(one.values["has_params"] for one in plain),
        inplace=index >= 0,
        inplace_index=index,
        inplace_saves=_saves(observations(cls, inplace=True)) if index >= 0 else (),
        **_results(plain),
        writes_buffers=any("buffers" in one.writes for one in plain),
        writes_params=_writes_params(plain),
        versioned=not any("buffers" in one.unversioned for one in plain),
    )


def observations(cls: type[torch.nn.Module], *, inplace: bool) -> list[Observed]:
    """What each sample of the class shows, in training and in evaluation mode."""
    seen = []
    for bound in calls(cls, inplace=inplace):
        with warnings.catch_warnings(), contextlib.suppress(Exception):
            warnings.simplefilter("ignore")
            seen.append(observe(bound.module, bound, False, gate_elements=False))
    return seen


def calls(cls: type[torch.nn.Module], *, inplace: bool) -> Iterator[_ModuleCall]:
    """Every sample of the class as a call."""
    for training in (True, False):
        for constructor, args, kwargs in itertools.islice(_samples(cls, training), _LIMIT):
            if inplace:
                constructor = (constructor[0], {**constructor[1], "inplace": True})
            with warnings.catch_warnings(), contextlib.suppress(Exception):
                warnings.simplefilter("ignore")
                torch.manual_seed(0)
                module = cls(*constructor[0], **constructor[1]).train(training)
                yield _call(cls, module, constructor, args, kwargs, training)


def _samples(cls: type[torch.nn.Module], training: bool) -> Iterator[tuple[Any, tuple[Any, ...], dict[str, Any]]]:
    for constructor, args in SAMPLES.get(cls.__name__, ()):
        yield constructor, args, {}
    for info in module_db:
        if info.module_cls is not cls:
            continue
        with contextlib.suppress(Exception):
            torch.manual_seed(0)
            for sample in info.module_inputs_func(
                info, device="cpu", dtype=torch.float32, requires_grad=False, training=training
            ):
                if sample.forward_input is not None:
                    given, forward = sample.constructor_input, sample.forward_input
                    kwargs = {k: v for k, v in given.kwargs.items() if k != "inplace"}
                    yield (tuple(given.args), kwargs), tuple(forward.args), dict(forward.kwargs)


def _call(
    cls: type[torch.nn.Module], module: torch.nn.Module, constructor: Any, args: Any, kwargs: Any, training: bool
) -> _ModuleCall:
    bound = inspect.signature(cls.__init__).bind(module, *constructor[0], **constructor[1])
    bound.apply_defaults()
    values = {k: v for k, v in bound.arguments.items() if k not in ("self", "kwargs", "args")}
    values |= {"training": training, "has_params": any(True for _ in module.parameters())}
    names = ["input"] if len(args) + len(kwargs) == 1 else [f"input{i}" for i in range(len(args) + len(kwargs))]
    for position, key in enumerate(kwargs):
        names[len(args) + position] = key
    arguments = dict(zip(names, [*args, *kwargs.values()], strict=True))
    for kind, state in (("params", module.named_parameters()), ("buffers", module.named_buffers())):
        found = {name: tensor.detach() for name, tensor in state}
        if found:
            arguments[kind] = found
    values["given"] = tuple(names)
    return _ModuleCall(arguments, tuple(names[: len(args)]), module=module, keywords=tuple(kwargs), constructor=values)


def _saves(seen: list[Observed]) -> tuple[Save, ...]:
    """Saves of all samples; where one gives several arguments, the only one of another is its first."""
    if any("input0" in one.values["given"] for one in seen):
        for one in seen:
            _rename(one, "input", "input0")
    order = sorted({name for one in seen for name in (*one.saves, *one.differentiable)})
    return measured.saves(seen, order)


def _writes_params(seen: list[Observed]) -> str:
    labelled = [(one, "params" in one.writes) for one in seen if "params" in one.present]
    return measured.depends(labelled) if any(written for _, written in labelled) else ""


def _rename(one: Observed, old: str, new: str) -> None:
    def renamed(names: set[str]) -> set[str]:
        return {new if name == old else name for name in names}

    one.saves = {new if what == old else what: renamed(gates) for what, gates in one.saves.items()}
    one.present, one.differentiable, one.together = map(renamed, (one.present, one.differentiable, one.together))


def _results(seen: list[Observed]) -> dict[str, Any]:
    pairs = [(leaf, one) for one in seen for leaf in one.results if leaf.of != "params"]
    leaves = [leaf for leaf, _ in pairs]
    relations = {leaf.relation for leaf in leaves if leaf.relation}
    counts = {len(one.results) for one in seen}
    structured = any(one.shape in ("other", "sequence") for one in seen)
    single = any(one.shape == "tensor" for one in seen)  # a second result is optional (MaxPool's indices)
    returns = "new" if relations <= {"new"} else "view" if relations == {"view"} else "maybe"
    return {
        "returns": returns,
        "returns_when": measured.aliases_when(pairs) if returns == "maybe" else "",
        "results": 1 if single else 0 if structured else max(counts, default=1),
        "expanded": any(leaf.expanded for leaf in leaves if leaf.relation != "new"),
    }
