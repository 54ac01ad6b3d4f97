"""Write each tensor that a call touches, run backward, and compare what happens with the op table."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from inplace_guard import ops
from inplace_guard.ops.generate.binding import Bound, bind
from inplace_guard.ops.generate.calls import address, differentiable, fresh, leaves, rebuild, tensors_in
from inplace_guard.ops.generate.samples import Sample

_MESSAGE = "has been modified by an inplace operation"


@dataclass(frozen=True)
class Case:
    """One tensor written between one forward and its backward."""

    op: str
    written: str
    grads: tuple[str, ...]
    sample: str
    raised: bool
    expected: bool | None  # None: the table does not tell

    @property
    def agrees(self) -> bool:
        return self.expected is None or self.raised == self.expected


def cases(dotted: str, function: Callable[..., Any], sample: Sample, *, gates: bool) -> Iterator[Case]:
    """All cases of one sample; with `gates`, also with each argument alone requiring grad."""
    found = _overload(dotted, sample)
    if found is None:
        return
    overload, bound = found
    able = [name for name, value in bound.arguments.items() if any(map(differentiable, leaves(value)))]
    chosen = [tuple(able), *((name,) for name in able if gates and len(able) > 1)]
    for grads in chosen:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield from _Scenario(dotted, function, overload, bound, grads).cases()


def _overload(dotted: str, sample: Sample) -> tuple[ops.Overload, Bound] | None:
    op = ops.lookup(dotted)
    args, kwargs = sample
    for overload in op.overloads if op else ():
        bound = bind(overload.params, args, kwargs, {})
        if bound is not None:
            return overload, bound
    return None


@dataclass
class _Forward:
    """One forward run on fresh arguments."""

    given: dict[str, Any]
    value: Any

    def tensors(self) -> list[tuple[str, int, torch.Tensor]]:
        found = [(n, i, t) for n, value in self.given.items() for i, t in enumerate(tensors_in(value))]
        return found + [("result", index, t) for index, t in enumerate(tensors_in(self.value))]

    def backward(self) -> None:
        outputs = [t for t in tensors_in(self.value) if t.requires_grad]
        outputs += [t for value in self.given.values() for t in tensors_in(value) if t.requires_grad and not t.is_leaf]
        torch.autograd.backward(
            [t.sum() if not t.is_complex() else torch.view_as_real(t.resolve_conj()).sum() for t in outputs]
        )


@dataclass
class _Scenario:
    dotted: str
    function: Callable[..., Any]
    overload: ops.Overload
    bound: Bound
    grads: tuple[str, ...]

    def forward(self) -> _Forward:
        def make(name: str) -> Callable[[Any], Any]:
            return lambda leaf: fresh(leaf, name in self.grads and differentiable(leaf), False)

        given = {name: rebuild(value, make(name)) for name, value in self.bound.arguments.items()}
        torch.manual_seed(0)
        return _Forward(given, self.bound.call(self.function, given))

    def cases(self) -> Iterator[Case]:
        try:
            first = self.forward()
            if not any(t.requires_grad for t in tensors_in(first.value)):
                return
            first.backward()
        except Exception:  # not every sample can be differentiated
            return
        for name, index, tensor in first.tensors():
            if not address(tensor):
                continue
            again = self.forward()
            expected = self._expected(again, name, index)
            written = next((t for n, i, t in again.tensors() if (n, i) == (name, index)), None)
            if written is None or not _write(written):
                continue
            raised = False
            try:
                again.backward()
            except RuntimeError as error:
                raised = _MESSAGE in str(error)
            label = name if index == 0 else f"{name}[{index}]"
            yield Case(self.dotted, label, self.grads, _describe(self.bound), raised, expected)

    def _expected(self, run: _Forward, name: str, index: int) -> bool | None:
        """Whether the table says that this memory is saved."""
        place = next(address(t) for n, i, t in run.tensors() if (n, i) == (name, index))
        answers = [self._saved(run, save, place, name, index) for save in self.overload.saves]
        if any(answer is True for answer in answers):
            return True
        return None if None in answers else False

    def _saved(self, run: _Forward, save: ops.Save, place: int, name: str, index: int) -> bool | None:
        if place not in {address(t) for t in _named(run, save.what)}:
            return False
        if save.gates == ("others",):
            return None if len(tensors_in(run.given[save.what])) == 1 and save.what == name else True
        if save.gates and not set(save.gates) & set(self.grads):
            return False
        return ops.holds(save.when, self.overload, self.bound.values())


def _named(run: _Forward, what: str) -> list[torch.Tensor]:
    if what in run.given:
        return tensors_in(run.given[what])
    if not what.startswith("result"):
        return []  # an optional argument that this call does not pass
    results = tensors_in(run.value)
    number = what.removeprefix("result")
    return results if not number else results[int(number) : int(number) + 1]


def _write(tensor: torch.Tensor) -> bool:
    """Write the values that are there already: the version moves, and nothing else."""
    with torch.no_grad(), contextlib.suppress(RuntimeError):
        plain = tensor.detach()
        plain.copy_(plain.clone())
        return True
    return False


def _describe(bound: Bound) -> str:
    def text(value: Any) -> str:
        if isinstance(value, torch.Tensor):
            return f"T{list(value.shape)}"
        if isinstance(value, (list, tuple)):
            return f"[{', '.join(map(text, value))}]"
        return repr(value)

    return ", ".join(f"{name}={text(value)}" for name, value in bound.arguments.items())
