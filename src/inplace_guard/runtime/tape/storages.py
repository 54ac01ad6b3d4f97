"""Storages told apart by identity: an address is given out again as soon as its owner is gone."""

from __future__ import annotations

import weakref
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from inplace_guard.runtime.memory import base_of

__all__ = ["PeakMemory", "StorageIds"]


class StorageIds:
    """A number for each storage, never given twice."""

    def __init__(self) -> None:
        self._by_base: dict[int, tuple[weakref.ref[torch.UntypedStorage], int]] = {}
        self._next = 0

    def of(self, tensor: torch.Tensor) -> int | None:
        """None for what has no memory of its own."""
        base = base_of(tensor)
        if not base:
            return None
        known = self._by_base.get(base)
        if known is not None and known[0]() is not None:
            return known[1]
        self._next += 1
        self._by_base[base] = weakref.ref(tensor.untyped_storage()), self._next
        return self._next

    def at(self, base: int) -> int | None:
        known = self._by_base.get(base)
        return known[1] if known is not None and known[0]() is not None else None

    def alive(self) -> set[int]:
        return {number for reference, number in self._by_base.values() if reference() is not None}


class PeakMemory(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """The most bytes alive at one time in storages that ops made while this was active. What a kernel takes and gives
    back inside of one op is not seen."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.live = 0
        self.peak = 0
        self.made = 0  # bytes, over all storages
        self._known: dict[int, weakref.ref[torch.UntypedStorage]] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = {base_of(value) for value in tree_leaves((args, kwargs)) if isinstance(value, torch.Tensor)}
        result = func(*args, **(kwargs or {}))
        for value in tree_leaves(result):
            if isinstance(value, torch.Tensor):
                base = base_of(value)
                if base and base not in given and base not in self._known:
                    self._note(base, value.untyped_storage())
        return result

    def _note(self, base: int, storage: torch.UntypedStorage) -> None:
        size = storage.nbytes()

        def died(_: Any) -> None:
            self.live -= size
            del self._known[base]

        self._known[base] = weakref.ref(storage, died)
        self.live += size
        self.made += size
        self.peak = max(self.peak, self.live)
