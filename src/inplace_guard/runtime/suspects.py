"""Writes that a saved tensor would not show in its version, found again by the memory that they hit."""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import Any

import torch

from inplace_guard.runtime.journal import Write
from inplace_guard.runtime.memory import Region, overlap

__all__ = ["Suspects"]

_MOST_BASES = 4096
_MOST_EACH = 256
_MOST_REGIONS = 8192  # of one memory; gradcheck writes each element by itself
_MOST_TO_ONE = 8


class Suspects:
    def __init__(self) -> None:
        self.newest = -1  # sequence number at the time of the last one
        self._by_base: OrderedDict[int, OrderedDict[Region, list[Write]]] = OrderedDict()
        self._borrowed: deque[Write] = deque(maxlen=_MOST_EACH)  # their base is an address inside of another storage
        self._rebinds: deque[Write] = deque(maxlen=_MOST_EACH)

    def __bool__(self) -> bool:
        return self.newest >= 0

    def add(self, write: Write, *, borrowed: bool = False) -> None:
        self.newest = max(self.newest, write.seq)
        if write.rebinds is not None:
            self._rebinds.append(write)
        elif write.region is not None:
            if borrowed:
                self._borrowed.append(write)
            known = self._by_base.get(write.region.base)
            if known is None:
                known = self._by_base[write.region.base] = OrderedDict()
                if len(self._by_base) > _MOST_BASES:
                    self._by_base.popitem(last=False)
            writes = known.setdefault(write.region, [])
            writes.append(write)
            if len(writes) > _MOST_TO_ONE:  # the first knows what was there before them all
                del writes[1]
            if len(known) > _MOST_REGIONS:
                known.popitem(last=False)

    def on(self, tensor: Any, region: Region, since: int) -> list[Write]:
        """Those that changed this memory after `since` writes, oldest first; or that gave the tensor other memory."""
        rebound = [write for write in self._rebinds if write.order >= since and is_rebound(write, tensor)]
        if rebound:  # memory that it was only given later was written before it held what was saved
            return rebound
        found = [
            write
            for written, writes in self._by_base.get(region.base, {}).items()
            if overlap(written, region)
            for write in writes
            if write.order >= since
        ]
        found.sort(key=lambda write: write.order)
        for write in self._borrowed:
            if write.order >= since and write not in found and _touches(write, region):
                found.append(write)
        return found


def is_rebound(write: Write, tensor: torch.Tensor) -> bool:
    return write.rebinds is not None and write.rebinds() is tensor


def _touches(write: Write, region: Region) -> bool:
    return write.region is not None and overlap(write.region, region)
