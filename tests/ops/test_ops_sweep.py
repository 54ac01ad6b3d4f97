"""Write each tensor between forward and backward: backward raises exactly where the table says that it is saved."""

from __future__ import annotations

import contextlib
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch.testing._internal import common_methods_invocations as opinfo

from inplace_guard import ops
from inplace_guard.ops.generate import modules
from inplace_guard.ops.generate.binding import Bound, bind
from inplace_guard.ops.generate.calls import address, differentiable, fresh, leaves, rebuild, tensors_in
from inplace_guard.ops.generate.samples import Sample, of_info, spread

_MESSAGE = re.compile(r"has been modified (by an )?inplace")  # the short form: a saved view made by chunk or split
_GATES = 6  # of calls with more differentiable arguments (multi_head_attention_forward) only all together are tried


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


def sample_cases(dotted: str, function: Callable[..., Any], sample: Sample, *, gates: bool) -> Iterator[Case]:
    """All cases of one sample; with `gates`, also with each argument alone requiring grad."""
    found = _overload(dotted, sample)
    if found is None:
        return
    overload, bound = found
    able = [name for name, value in bound.arguments.items() if any(map(differentiable, leaves(value)))]
    chosen = [tuple(able), *((name,) for name in able if gates and 1 < len(able) <= _GATES)]
    for grads in chosen:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield from _Scenario(dotted, function, overload, bound, grads).cases()


def one_module(dotted: str, cls: type[torch.nn.Module], *, inplace: bool) -> Iterator[Case]:
    """All cases of the samples of a module class; its parameters and buffers are arguments too."""
    facts = ops.module(dotted)
    assert facts is not None
    saves = facts.inplace_saves if inplace else facts.saves
    overload = ops.Overload(params=(), saves=saves)
    numbered = any("input0" in (save.what, *save.gates) for save in saves)
    for bound in modules.calls(cls, inplace=inplace):
        if numbered and "input" in bound.arguments:  # the only argument of this call is the first of several
            bound.arguments = {"input0": bound.arguments.pop("input"), **bound.arguments}
            bound.positional = ("input0",)
        able = [n for n, value in bound.arguments.items() if any(map(differentiable, leaves(value)))]
        for grads in {tuple(able), tuple(n for n in able if n != "params"), ("params",) if "params" in able else ()}:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield from _Scenario(dotted, bound.module, overload, bound, grads, whole=True).cases()


def _overload(dotted: str, sample: Sample) -> tuple[ops.Overload, Bound] | None:
    op = ops.lookup(dotted)
    args, kwargs = sample
    for overload in op.overloads if op else ():
        bound = bind(overload.params, args, kwargs, {})
        if bound is not None:
            return overload, bound
    return None


class _Forward:
    """One forward run on fresh arguments, with the scalars to run backward from."""

    def __init__(self, given: dict[str, Any], value: Any) -> None:
        self.given, self.value = given, value
        outputs = [t for t in tensors_in(value) if t.requires_grad]
        outputs += [t for item in given.values() for t in tensors_in(item) if t.requires_grad and not t.is_leaf]
        self.roots = [(torch.view_as_real(t.resolve_conj()) if t.is_complex() else t).sum() for t in outputs]

    def tensors(self) -> list[tuple[str, int, torch.Tensor]]:
        found = [(n, i, t) for n, value in self.given.items() for i, t in enumerate(tensors_in(value))]
        return found + [("result", index, t) for index, t in enumerate(tensors_in(self.value))]

    def backward(self) -> None:
        torch.autograd.backward(self.roots)


@dataclass
class _Scenario:
    dotted: str
    function: Callable[..., Any]
    overload: ops.Overload
    bound: Bound
    grads: tuple[str, ...]
    whole: bool = False  # write all tensors of an argument at once: `params` says that one of them is saved

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
            if not address(tensor) or (self.whole and index and name != "result"):
                continue
            again = self.forward()
            whole = self.whole and name != "result"
            chosen = [t for n, i, t in again.tensors() if n == name and (whole or i == index)]
            answers = [self._expected(again, t) for t in chosen]
            if not chosen or not all(map(_write, chosen)):
                continue
            raised = False
            try:
                again.backward()
            except RuntimeError as error:
                raised = _MESSAGE.search(str(error)) is not None
            label = name if index == 0 else f"{name}[{index}]"
            expected = True if True in answers else None if None in answers else False
            yield Case(self.dotted, label, self.grads, _describe(self.bound), raised, expected)

    def _expected(self, run: _Forward, tensor: torch.Tensor) -> bool | None:
        """Whether the table says that this memory is saved."""
        answers = [self._saved(run, save, address(tensor)) for save in self.overload.saves]
        if any(answer is True for answer in answers):
            return True
        return None if None in answers else False

    def _saved(self, run: _Forward, save: ops.Save, place: int) -> bool | None:
        if place not in {address(t) for t in _named(run, save.what)}:
            return False
        if save.gates == ("others",):
            if len(tensors_in(run.given[save.what])) == 1:
                return False
        elif save.gates and not set(save.gates) & set(self.grads):
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
        if isinstance(value, dict):
            return text(list(value.values()))
        return repr(value)

    return ", ".join(f"{name}={text(value)}" for name, value in bound.arguments.items())


_KRON = "saves both operands through an unsafe view, which has a version counter of its own: the write is silent"

# Where PyTorch does not raise although the memory is saved, or the other way round.
EXCEPTIONS = {"torch.kron": _KRON, "torch.Tensor.kron": _KRON}


def function_cases(infos: Iterable[Any], samples: int, *, gates: bool) -> Iterator[Case]:
    """Cases of each public form (function, method, in-place) of these OpInfos."""
    for info in infos:
        taken = None
        for dotted in _forms(info.name):
            function = _resolve(dotted)
            if ops.lookup(dotted) is None or function is None:
                continue
            taken = spread(of_info(info))[:samples] if taken is None else taken
            for sample in taken:
                yield from sample_cases(dotted, function, sample, gates=gates)


def _forms(name: str) -> list[str]:
    if "." in name:
        return [f"torch.{name}", f"torch.{name}_"]
    return [f"torch.{name}", f"torch.Tensor.{name}", f"torch.Tensor.{name}_", f"torch.{name}_"]


def _resolve(dotted: str) -> Any:
    value: Any = torch
    for part in dotted.split(".")[1:]:
        value = getattr(value, part, None)
    return value


def check(cases: Iterable[Case], exceptions: set[str], *, at_least: int) -> None:
    """All compared cases agree but for the exceptions, each of which must still be one."""
    compared = 0
    wrong: dict[str, Case] = {}
    for case in cases:
        compared += case.expected is not None
        if not case.agrees:
            wrong.setdefault(case.op, case)
    unexpected = [case for op, case in wrong.items() if op not in exceptions]
    assert not unexpected, "\n".join(map(str, unexpected))
    assert exceptions <= wrong.keys(), f"no longer an exception: {sorted(exceptions - wrong.keys())}"
    assert compared >= at_least, "the sweep compared too little to mean anything"


def test_part_of_op_db_agrees() -> None:
    infos = [
        info for index, info in enumerate(opinfo.op_db) if index % 8 == 0 or info.name in ("kron", "mul", "linear")
    ]
    check(function_cases(infos, 3, gates=True), set(EXCEPTIONS), at_least=1000)


def test_part_of_foreach_agrees() -> None:
    check(function_cases(_foreach()[::6], 1, gates=False), set(), at_least=100)


def test_part_of_the_modules_agrees() -> None:
    chosen = [pair for index, pair in enumerate(modules.classes()) if index % 8 == 0]
    check(module_cases(chosen), set(), at_least=300)


@pytest.mark.slow
def test_op_db_agrees() -> None:
    check(function_cases(opinfo.op_db, 24, gates=True), set(EXCEPTIONS), at_least=35_000)


@pytest.mark.slow
def test_foreach_agrees() -> None:
    check(function_cases(_foreach(), 2, gates=False), set(), at_least=2000)


@pytest.mark.slow
def test_modules_agree() -> None:
    check(module_cases(modules.classes()), set(), at_least=4500)


def _foreach() -> list[Any]:
    """The gates of a foreach op are those of each element, so that only all arguments together are tried."""
    return [
        *opinfo.foreach_unary_op_db,
        *opinfo.foreach_binary_op_db,
        *opinfo.foreach_pointwise_op_db,
        *opinfo.foreach_reduce_op_db,
        *opinfo.foreach_other_op_db,
    ]


def module_cases(classes: Iterable[tuple[str, Any]]) -> Iterator[Case]:
    for dotted, cls in classes:
        facts = ops.module(dotted)
        assert facts is not None
        for inplace in (False, True) if facts.inplace else (False,):
            yield from one_module(dotted, cls, inplace=inplace)
