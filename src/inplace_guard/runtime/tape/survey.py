"""One run of a function, call by call: which storages each call reads, and which could have been written in place."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

from inplace_guard.findings import Site
from inplace_guard.runtime import opkinds
from inplace_guard.runtime.capture import Place, here, site
from inplace_guard.runtime.tape.storages import StorageIds
from inplace_guard.runtime.tape.variants import Variant, variants

__all__ = ["Call", "Rewrite", "Survey"]


@dataclass(slots=True)
class Call:
    """`reads` are the numbers of the storages of its arguments; `targets` those that its in-place forms would write."""

    index: int
    func: Any
    place: Place | None
    module: Any
    reads: frozenset[int]
    targets: list[tuple[Variant, int]] = field(default_factory=list)
    nbytes: int = 0

    @property
    def site(self) -> Site | None:
        return site(self.place, op=getattr(self.func, "__name__", None)) if self.place is not None else None


# These make nothing, but read the values of their tensor.
_LOOKS = {"item", "tolist", "is_nonzero", "__bool__", "__int__", "__float__", "__index__", "__format__", "__repr__",
          "__contains__"}  # fmt: skip


def _counts(func: Any) -> bool:
    """False for what looks at shapes and kinds only."""
    return opkinds.classify(func) != opkinds.PASS or getattr(func, "__name__", "") in _LOOKS


def _tensors(values: Any) -> list[torch.Tensor]:
    return [value for value in tree_leaves(values) if isinstance(value, torch.Tensor)]


class _Leaves:
    """The leaves that calls read, in the order of their first use: the same in every run of the same function."""

    def __init__(self) -> None:
        self.listed: list[torch.Tensor] = []
        self._known: set[int] = set()

    def note(self, tensors: list[torch.Tensor]) -> None:
        for tensor in tensors:
            if tensor.requires_grad and tensor.is_leaf and id(tensor) not in self._known:
                self._known.add(id(tensor))
                self.listed.append(tensor)


class Survey(TorchFunctionMode):
    def __init__(self, module_now: Any) -> None:
        super().__init__()
        self.calls: list[Call] = []
        self.ids = StorageIds()
        self._module_now = module_now
        self.exported: set[int] = set()  # storages whose memory was handed out of torch: to NumPy, say
        self.made: set[int] = set()  # storages that a call of this run made
        self.leaves = _Leaves()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if not _counts(func):
            return func(*args, **kwargs)
        tensors = _tensors((args, kwargs))
        with torch._C.DisableTorchFunction():
            self.leaves.note(tensors)
            reads = frozenset(number for tensor in tensors if (number := self.ids.of(tensor)) is not None)
        result = func(*args, **kwargs)
        with torch._C.DisableTorchFunction():
            self._note(func, args, kwargs, reads, result)
        return result

    def _note(self, func: Any, args: Any, kwargs: Any, reads: frozenset[int], result: Any) -> None:
        if opkinds.classify(func) == "alias_out":
            self.exported |= reads
        given = [number for tensor in _tensors(result) if (number := self.ids.of(tensor)) is not None]
        self.made.update(number for number in given if number not in reads)
        call = Call(len(self.calls), func, here(sys._getframe(2)), self._module_now(), reads)
        if isinstance(result, torch.Tensor) and "out" not in kwargs and not reads.intersection(given):
            for variant in variants(func, args, result):
                number = self.ids.of(args[variant.position])
                if number is not None:
                    call.targets.append((variant, number))
            call.nbytes = result.untyped_storage().nbytes()
        self.calls.append(call)


class Rewrite(TorchFunctionMode):
    """Makes these calls, by number, in place. Calls are counted as `Survey` counts them."""

    def __init__(self, chosen: Mapping[int, tuple[Any, Variant]]) -> None:
        super().__init__()
        self._chosen = chosen
        self.count = 0
        self.strayed = False  # the run did not make the calls that the survey saw
        self.leaves = _Leaves()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if not _counts(func):
            return func(*args, **kwargs)
        with torch._C.DisableTorchFunction():
            self.leaves.note(_tensors((args, kwargs)))
        chosen = self._chosen.get(self.count)
        self.count += 1
        if chosen is None:
            return func(*args, **kwargs)
        if chosen[0] is not func:
            self.strayed = True
            return func(*args, **kwargs)
        return chosen[1].run(args, kwargs)
