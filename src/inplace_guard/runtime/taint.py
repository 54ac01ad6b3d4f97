"""Values that were cut from their history by `torch.tensor(...)` and then mixed into a graph after all."""

from __future__ import annotations

import weakref
from collections import OrderedDict, deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import torch

from inplace_guard.runtime.alerts import CUT
from inplace_guard.runtime.capture import Place
from inplace_guard.runtime.careful import careful
from inplace_guard.runtime.memory import is_plain

if TYPE_CHECKING:
    from inplace_guard.runtime.recorder import Recorder

__all__ = ["Taint"]

_MOST = 256
_CALLS = 20_000  # after so many, nobody will use the value any more


class Taint:
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._cut: OrderedDict[int, tuple[weakref.ref[torch.Tensor], Place]] = OrderedDict()
        self._left = 0
        self.mixed: deque[tuple[int, Place]] = deque(maxlen=_MOST)  # (number of the node that took it, the cut)

    def add(self, tensor: torch.Tensor, place: Place) -> None:
        self._cut[id(tensor)] = (weakref.ref(tensor), place)
        if len(self._cut) > _MOST:
            self._cut.popitem(last=False)
        self._left = _CALLS
        self._recorder.alert |= CUT

    @careful
    def passed(self, args: Iterable[Any], result: Any) -> None:
        """After a call: a cut value among the arguments taints a plain result, and is mixed in by a recorded one."""
        self._left -= 1
        if self._left <= 0:
            self._cut.clear()
            self._recorder.alert &= ~CUT
            return
        place = next((found for value in args if (found := self._place_of(value)) is not None), None)
        if place is None:
            return
        for tensor in result if isinstance(result, (tuple, list)) else (result,):
            if not is_plain(tensor):
                continue
            if tensor.requires_grad:
                self.mixed.append((self._recorder.sequence_nr() - 1, place))
            elif tensor.is_floating_point():
                self._cut[id(tensor)] = (weakref.ref(tensor), place)

    def _place_of(self, value: Any) -> Place | None:
        for tensor in value if isinstance(value, (tuple, list)) else (value,):
            entry = self._cut.get(id(tensor))
            if entry is not None and entry[0]() is tensor:
                return entry[1]
        return None
