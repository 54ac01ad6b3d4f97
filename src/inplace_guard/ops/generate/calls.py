"""Run one call and see what it wrote, what it returned and what it saved."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from inplace_guard.ops.generate.binding import Bound


@dataclass
class Returned:
    """One leaf of the result."""

    relation: str  # new, view, same; "" where the result has no elements to compare
    of: str
    many: bool
    expanded: bool
    requires_grad: bool
    dtype: str
    tensor: bool


@dataclass
class Observed:
    """One call. Names are those of the bound parameters; results are numbered."""

    values: dict[str, Any]
    strided: bool
    own: bool = True  # from our own samples
    present: set[str] = field(default_factory=set)  # arguments and results that have tensor elements
    writes: set[str] = field(default_factory=set)
    unversioned: set[str] = field(default_factory=set)
    writes_leaf: bool | None = None
    results: list[Returned] = field(default_factory=list)
    shape: str = "none"  # tensor, tuple, sequence, other, none
    recorded: bool = False
    tensors: bool = False  # there is a tensor argument
    floats: bool = False  # there is one of floating point
    saves: dict[str, set[str]] = field(default_factory=dict)  # what -> single arguments that trigger it
    together: set[str] = field(default_factory=set)  # saved when every argument requires grad
    others: dict[str, bool] = field(default_factory=dict)  # list argument -> only other elements trigger it
    differentiable: set[str] = field(default_factory=set)


def leaves(value: Any) -> Iterator[Any]:
    """Tensors, arrays and storages of nested lists, tuples and dicts."""
    if isinstance(value, (torch.Tensor, np.ndarray, torch.UntypedStorage, torch.TypedStorage)):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from leaves(item)


def tensors_in(value: Any) -> list[torch.Tensor]:
    return [leaf for leaf in leaves(value) if isinstance(leaf, torch.Tensor)]


def rebuild(value: Any, make: Callable[[Any], Any]) -> Any:
    """The same structure with each tensor and array replaced."""
    if isinstance(value, (torch.Tensor, np.ndarray)):
        return make(value)
    if isinstance(value, (list, tuple)):
        items = [rebuild(item, make) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        return {key: rebuild(item, make) for key, item in value.items()}
    return value


def differentiable(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())


def fresh(value: Any, requires_grad: bool, strided: bool) -> Any:
    """A copy that is not a leaf, so that it may be written; with `strided`, one that is not contiguous."""
    if isinstance(value, np.ndarray):
        return value.copy()
    source = value.detach()
    if source.layout != torch.strided:
        return source.clone().requires_grad_(requires_grad).clone()
    if strided and source.dim() >= 2:  # a clone keeps this layout and is no view, whose history would hide the op's
        source = source.mT.contiguous().mT
    return source.clone().requires_grad_(requires_grad).clone()


def address(value: Any) -> int:
    """Where the memory of a tensor, array or storage begins, or 0 where there is none to compare."""
    try:
        if isinstance(value, torch.Tensor):
            return value.untyped_storage().data_ptr() if value.numel() else 0
        if isinstance(value, np.ndarray):
            return int(value.__array_interface__["data"][0])
        return int(value.data_ptr())
    except (RuntimeError, NotImplementedError, KeyError):
        return 0


def saved_tensors(roots: list[torch.Tensor], stop: set[Any]) -> Iterator[torch.Tensor]:
    """Every tensor that the nodes between results and inputs saved."""
    seen: set[Any] = set(stop)
    todo: list[Any] = [root.grad_fn for root in roots if root.grad_fn is not None]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        todo += [following for following, _ in node.next_functions]
        for name in dir(node):
            if not name.startswith("_raw_saved_"):
                continue
            raw = getattr(node, name)
            for item in raw if isinstance(raw, (list, tuple)) else [raw]:
                data = getattr(item, "data", None)
                if isinstance(data, torch.Tensor):
                    yield data


def observe(function: Callable[..., Any], bound: Bound, strided: bool, *, gate_elements: bool = True) -> Observed:
    """Facts of one call; its gates are found by letting one argument at a time require grad."""
    seen = Observed(bound.values(), strided)
    able = [name for name, value in bound.arguments.items() if any(map(differentiable, leaves(value)))]
    runs, everything = _runs(function, bound, strided, able)
    everything.describe(seen)
    for name, run in runs.items():
        run.gates(seen)
        count = len(tensors_in(bound.arguments[name]))
        if gate_elements and not isinstance(bound.arguments[name], torch.Tensor) and count > 1:
            for index in range(count):
                _Run(function, bound, strided, {name}, index).elements(seen)
    if seen.writes:
        seen.writes_leaf = _writes_leaf(function, bound, seen.writes)
    return seen


def _runs(function: Callable[..., Any], bound: Bound, strided: bool, able: list[str]) -> tuple[dict[str, _Run], _Run]:
    """A run for each argument that may require grad, and one with all of them."""
    runs = {}
    for name in able:
        with contextlib.suppress(RuntimeError):  # an argument that must not require grad (running_mean)
            runs[name] = _Run(function, bound, strided, {name})
    return runs, _Run(function, bound, strided, set(runs))


class _Run:
    """One execution with the given arguments requiring grad (or only one element of one list argument)."""

    def __init__(
        self, function: Callable[..., Any], bound: Bound, strided: bool, grads: set[str], only: int | None = None
    ) -> None:
        self.grads, self.only = grads, only
        given = {name: self._copy(name, value, strided) for name, value in bound.arguments.items()}
        self.inputs = [(n, i, leaf) for n, value in given.items() for i, leaf in enumerate(leaves(value))]
        self.stop = {t.grad_fn for _, _, t in self.inputs if isinstance(t, torch.Tensor) and t.grad_fn is not None}
        before = [_state(leaf) for _, _, leaf in self.inputs]
        torch.manual_seed(0)
        self.value = bound.call(function, given)
        self.results = list(leaves(self.value))
        self.homes: dict[int, tuple[str, int]] = {}
        for name, index, leaf in self.inputs:
            self.homes.setdefault(address(leaf), (name, index))
        self.homes.pop(0, None)
        self.written: set[str] = set()
        self.unversioned: set[str] = set()
        for (name, _, leaf), old in zip(self.inputs, before, strict=True):
            version, changed = _changes(old, leaf)
            if version or changed:
                self.written.add(name)
            if changed and not version:
                self.unversioned.add(name)

    def _copy(self, name: str, value: Any, strided: bool) -> Any:
        counter = itertools.count()

        def make(leaf: Any) -> Any:
            index = next(counter)
            wanted = name in self.grads and differentiable(leaf) and self.only in (None, index)
            return fresh(leaf, wanted, strided)

        return rebuild(value, make)

    def _tensors(self) -> list[torch.Tensor]:
        """Results and written arguments: where the graph of this call can hang."""
        found = [r for r in self.results if isinstance(r, torch.Tensor)]
        return found + [t for n, _, t in self.inputs if n in self.written and isinstance(t, torch.Tensor)]

    def recorded(self) -> bool:
        return any(t.grad_fn is not None and t.grad_fn not in self.stop for t in self._tensors())

    def saved(self) -> Iterator[tuple[str, int]]:
        """Each saved argument (with its place in a list argument) or result."""
        places = {address(result): index for index, result in reversed(list(enumerate(self.results)))}
        for tensor in saved_tensors(self._tensors(), self.stop):
            where = address(tensor)
            home = self.homes.get(where)
            if where and where in places and (home is None or home[0] in self.written):
                yield self._result_name(places[where]), 0
            elif home is not None:
                yield home

    def _result_name(self, index: int) -> str:
        plain = isinstance(self.value, (torch.Tensor, list)) or len(self.results) <= 1
        return "result" if plain or self._is_sequence() else f"result{index}"

    def _is_sequence(self) -> bool:
        """A list, or a tuple of views of one tensor or of the arguments (unbind, meshgrid): of no fixed length."""
        value, results = self.value, self.results
        if isinstance(value, list):
            return bool(results)
        if not isinstance(value, tuple) or hasattr(value, "_fields") or len(results) != len(value) or not results:
            return False
        views = all(isinstance(r, torch.Tensor) and r._is_view() for r in results)
        places = {address(r) for r in results} - {0}
        return views and (len(results) > 1 == len(places) or places <= self.homes.keys())

    def gates(self, seen: Observed) -> None:
        (single,) = self.grads
        if self.recorded() or any(isinstance(r, torch.Tensor) and r.grad_fn is not None for r in self.results):
            seen.differentiable.add(single)
        for what, _ in self.saved():
            seen.saves.setdefault(what, set()).add(single)

    def elements(self, seen: Observed) -> None:
        (name,) = self.grads
        places = {index for what, index in self.saved() if what == name}
        if places:
            seen.others[name] = seen.others.get(name, True) and self.only not in places

    def describe(self, seen: Observed) -> None:
        seen.writes, seen.unversioned = self.written, self.unversioned
        seen.present = {name for name, _, leaf in self.inputs if address(leaf)}
        seen.present |= {self._result_name(index) for index, result in enumerate(self.results) if address(result)}
        seen.recorded = self.recorded()
        seen.tensors = bool(self.inputs)
        seen.floats = any(differentiable(leaf) for _, _, leaf in self.inputs)
        for what, _ in self.saved():
            seen.together.add(what)
            seen.saves.setdefault(what, set())
        value = self.value
        if isinstance(value, (torch.Tensor, np.ndarray, torch.UntypedStorage, torch.TypedStorage)):
            seen.shape = "tensor"
        elif self._is_sequence():
            seen.shape = "sequence"
        elif isinstance(value, tuple) and self.results:
            seen.shape = "tuple" if len(value) == len(self.results) else "other"
        elif self.results:
            seen.shape = "other"
        seen.results = [self._returned(result) for result in self.results]

    def _returned(self, result: Any) -> Returned:
        relation, of = "new", ""
        same = next((name for name, _, leaf in self.inputs if leaf is result), None)
        if same is not None:
            relation, of = "same", same
        elif address(result) == 0:
            relation = ""
        elif address(result) in self.homes:
            relation, of = "view", self.homes[address(result)][0]
        if not isinstance(result, torch.Tensor):
            return Returned(relation, of, False, False, False, "", False)
        meta = torch._C._autograd._get_creation_meta(result) if result._is_view() else None
        expanded = result.layout == torch.strided and any(
            stride == 0 and size > 1 for stride, size in zip(result.stride(), result.shape, strict=True)
        )
        return Returned(
            relation,
            of,
            many=meta == torch._C._autograd.CreationMeta.MULTI_OUTPUT_NODE,
            expanded=expanded,
            requires_grad=result.grad_fn is not None,
            dtype="bool" if result.dtype == torch.bool else "" if differentiable(result) else "int",
            tensor=True,
        )


def _state(leaf: Any) -> tuple[int, Any]:
    if isinstance(leaf, torch.Tensor):
        return leaf._version, leaf.detach().clone()
    return 0, leaf.copy()


def _changes(old: tuple[int, Any], leaf: Any) -> tuple[bool, bool]:
    """Whether the version moved, and whether the values did (NaN counts as itself)."""
    version, value = old
    if not isinstance(leaf, torch.Tensor):
        return False, not np.array_equal(value, leaf)
    if value.layout != torch.strided or leaf.layout != torch.strided:
        return leaf._version != version, False
    now = leaf.detach()
    if now.shape != value.shape:
        return leaf._version != version, True
    if differentiable(value):
        now, value = torch.nan_to_num(now), torch.nan_to_num(value)
    return leaf._version != version, not torch.equal(now, value)


def _writes_leaf(function: Callable[..., Any], bound: Bound, written: set[str]) -> bool | None:
    """Whether the call may write a leaf that requires grad; None if its written arguments cannot require grad."""
    tried = False

    def make(leaf: Any) -> Any:
        nonlocal tried
        tried = tried or differentiable(leaf)
        return leaf.detach().clone().requires_grad_() if differentiable(leaf) else fresh(leaf, False, False)

    given = {
        name: rebuild(value, make if name in written else lambda leaf: fresh(leaf, False, False))
        for name, value in bound.arguments.items()
    }
    try:
        torch.manual_seed(0)
        bound.call(function, given)
    except RuntimeError:
        return False
    return True if tried else None
