"""Arguments to call each public callable with: our own, those of OpInfo, and some that fit many."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.testing._internal import common_methods_invocations as opinfo

from inplace_guard.ops.generate import own_nn_samples, own_samples
from inplace_guard.ops.generate.calls import rebuild
from inplace_guard.ops.generate.own_samples import GENERIC
from inplace_guard.ops.generate.own_values import Sample

__all__ = ["Given", "Sample", "Samples", "of_info", "spread"]

_OWN = own_samples.SAMPLES | own_nn_samples.SAMPLES
_LIMIT = 24  # samples of one OpInfo, spread evenly over all that it has


@dataclass(frozen=True)
class Given:
    """Samples of one callable. `own` vary one argument at a time, so that they decide on what a fact depends."""

    own: list[Sample]
    rest: list[Sample]
    guessed: bool = False  # they are not of this callable, only of its name or of its form

    def all(self) -> Iterator[tuple[Sample, bool]]:
        yield from ((sample, True) for sample in self.own)
        yield from ((sample, False) for sample in self.rest)


class Samples:
    """Samples by dotted name; a name without any gets those of the same last part elsewhere in torch."""

    def __init__(self) -> None:
        self._by_name: dict[str, list[Any]] = {}
        self._by_last: dict[str, list[Any]] = {}
        for names, info in _infos():
            for name in names:
                self._by_name.setdefault(name, []).append(info)
                self._by_last.setdefault(name.rpartition(".")[2], []).append(info)
        self._made: dict[int, list[Sample]] = {}

    def _samples(self, infos: list[Any]) -> list[Sample]:
        for info in infos:
            if id(info) not in self._made:
                self._made[id(info)] = spread(of_info(info))
        return [sample for info in infos for sample in self._made[id(info)]]

    def of(self, dotted: str, same_as: str = "") -> Given:
        """Samples to try on the callable of this name, or of the method that it is an operator for."""
        last = dotted.rpartition(".")[2]
        plain = last.rstrip("_") if not last.endswith("__") else last
        own, rest = _OWN.get(dotted, []), self._samples(self._by_name.get(dotted, []))
        if own or rest:
            return Given(own, rest)
        if same_as and same_as != dotted:
            return self.of(same_as)
        alike = self._samples(self._by_last.get(last, [])) or self._samples(self._by_last.get(plain, []))
        return Given([], alike or GENERIC, guessed=True)


def _infos() -> Iterator[tuple[list[str], Any]]:
    for info in opinfo.op_db:
        yield list(_names(info)), info
    for info in (
        *opinfo.foreach_unary_op_db,
        *opinfo.foreach_binary_op_db,
        *opinfo.foreach_pointwise_op_db,
        *opinfo.foreach_reduce_op_db,
        *opinfo.foreach_other_op_db,
    ):
        yield [f"torch.{info.name}", f"torch.{info.name}_"], info


def spread(samples: list[Sample]) -> list[Sample]:
    """A bounded number of samples, evenly over all."""
    step = -(-len(samples) // _LIMIT)
    return samples[:: max(1, step)]


def of_info(info: Any) -> list[Sample]:
    """The arguments that an OpInfo gives to the public callable, in float32 if it can."""
    dtype = torch.float32 if torch.float32 in info.dtypes else next(iter(sorted(info.dtypes, key=str)), torch.float32)
    wrapped = getattr(info.op, "__name__", "") == "<lambda>"
    taken: list[Sample] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(0)
        try:
            for sample in info.sample_inputs("cpu", dtype, requires_grad=False):
                args, kwargs = (sample.input, *sample.args), sample.kwargs
                taken += _unwrapped(info, args, kwargs) if wrapped else [(args, kwargs)]
        except Exception:  # an OpInfo of another device or of an optional library
            return []
    return taken


class _Spy(TorchFunctionMode):
    """Records the arguments of every call of a torch function of one name."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.calls: list[Sample] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if getattr(func, "__name__", "") == self.name:
            self.calls.append((tuple(args), dict(kwargs)))
        return func(*args, **kwargs)


def _unwrapped(info: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Sample]:
    """What a lambda around the public callable (`lambda weight, idx: F.embedding(idx, weight)`) passes to it."""
    spy = _Spy(info.name.rpartition(".")[2])
    with contextlib.suppress(Exception), spy:
        info.op(*rebuild(args, torch.clone), **rebuild(kwargs, torch.clone))
    return spy.calls[:1]


def _names(info: Any) -> Iterator[str]:
    for name in sorted({info.name, *(alias.name for alias in info.aliases)}):
        yield f"torch.{name}"
        if "." not in name:
            yield f"torch.Tensor.{name}"
            yield f"torch.Tensor.{name}_"
            yield f"torch.{name}_"
