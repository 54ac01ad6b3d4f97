"""Values that were cut from their history, and then mixed into a graph after all: copied by `torch.tensor(...)`, or
written into a tensor while nothing was recorded.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import torch

from inplace_guard.runtime.alerts import CUT
from inplace_guard.runtime.capture import Place
from inplace_guard.runtime.careful import careful
from inplace_guard.runtime.graphwalk import leaves_among, walk
from inplace_guard.runtime.journal import Write
from inplace_guard.runtime.memory import Region, base_of, is_plain, overlap, region_of

if TYPE_CHECKING:
    from inplace_guard.runtime.recorder import Recorder

__all__ = ["Cut", "Taint"]

_MOST = 256
_MOST_NODES = 2_000
_MOST_WALKED = 200_000  # nodes, in all; to look further would be felt
_CALLS = 20_000  # after so many, nobody will use the value any more


@dataclass(frozen=True, slots=True)
class Cut:
    """`write`: how the values came into a tensor that has no history; None if they were copied.

    `source` is then the newest node of the history that they had, `leaves` the ids of the leaves below it.
    """

    place: Place
    write: Write | None = None
    source: int = -1
    leaves: frozenset[int] = frozenset()


class Taint:
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._cut: OrderedDict[int, tuple[weakref.ref[torch.Tensor], Cut]] = OrderedDict()
        self._filled: OrderedDict[int, tuple[weakref.ref[Any], Region, Cut]] = OrderedDict()
        self._left = 0
        self._walked = 0
        self.mixed: deque[tuple[int, Cut]] = deque(maxlen=_MOST)  # (number of the node that took it, the cut)

    def add(self, tensor: torch.Tensor, place: Place) -> None:
        self._keep(tensor, Cut(place))
        self._watch()

    @careful
    def filled(self, tensor: torch.Tensor, write: Write, sources: list[Any]) -> None:
        """Values with a history were written into this tensor, which has none, and nothing was recorded."""
        region = write.region
        if region is None or not tensor.is_floating_point() or self._walked > _MOST_WALKED:
            return
        nodes = list(islice(walk(sources), _MOST_NODES))
        self._walked += len(nodes)
        if len(nodes) == _MOST_NODES:
            return
        newest = max(node._sequence_nr() for node in sources)
        cut = Cut(write.place, write, newest, leaves_among(nodes))
        self._filled[region.base] = (weakref.ref(tensor.untyped_storage()), region, cut)
        if len(self._filled) > _MOST:
            self._filled.popitem(last=False)
        self._watch()

    def _watch(self) -> None:
        self._left = _CALLS
        self._recorder.alert |= CUT

    def _keep(self, tensor: torch.Tensor, cut: Cut) -> None:
        self._cut[id(tensor)] = (weakref.ref(tensor), cut)
        if len(self._cut) > _MOST:
            self._cut.popitem(last=False)

    @careful
    def passed(self, args: Iterable[Any], result: Any) -> None:
        """After a call: a cut value among the arguments taints a plain result, and is mixed in by a recorded one."""
        self._left -= 1
        if self._left <= 0:
            self._cut.clear()
            self._filled.clear()
            self._recorder.alert &= ~CUT
            return
        cut = next((found for value in args if (found := self._cut_of(value)) is not None), None)
        if cut is None:
            return
        for tensor in result if isinstance(result, (tuple, list)) else (result,):
            if not is_plain(tensor) or any(tensor is value for value in args):
                continue
            if tensor.requires_grad:
                self.mixed.append((self._recorder.sequence_nr() - 1, cut))
            elif tensor.is_floating_point():
                self._keep(tensor, cut)

    def _cut_of(self, value: Any) -> Cut | None:
        for tensor in value if isinstance(value, (tuple, list)) else (value,):
            entry = self._cut.get(id(tensor))
            if entry is not None and entry[0]() is tensor:
                return entry[1]
            if self._filled and isinstance(tensor, torch.Tensor) and not tensor.requires_grad:
                filled = self._filled.get(base_of(tensor))
                region = region_of(tensor) if filled is not None and filled[0]() is not None else None
                if filled is not None and region is not None and overlap(region, filled[1]):
                    return filled[2]
        return None
