"""The opt-in modes that follow every saved tensor: fail-fast (who writes to one?) and content (did one change?).

They use saved-tensor hooks, which switch PyTorch's own version check off, so it is done again here, with the same text.
They step aside for `torch.func`, which accepts no hooks, and under hooks of the user's own, which run instead.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch
from torch.autograd import graph

from inplace_guard.runtime import active
from inplace_guard.runtime.alerts import CONTENT
from inplace_guard.runtime.capture import Place, here
from inplace_guard.runtime.checksum import checksum
from inplace_guard.runtime.compat import quiet
from inplace_guard.runtime.memory import Region, overlap, region_of, version_of
from inplace_guard.runtime.patches import Patch

if TYPE_CHECKING:
    from inplace_guard.runtime.recorder import Recorder

__all__ = ["Changed", "Held", "SaveWatch", "patches"]


class Held:
    """What stands in the graph for a saved tensor. Dies with the graph, or when backward has used it."""

    __slots__ = ("__weakref__", "order", "place", "region", "tensor", "value", "version")

    def __init__(self, tensor: torch.Tensor, place: Place | None, order: int) -> None:
        # a result's own history would close a circle: node, saved result, node
        self.tensor = tensor if tensor.grad_fn is None else tensor.detach()
        self.version = version_of(tensor)
        self.region = region_of(tensor)
        self.place = place
        self.order = order
        self.value: int | None = None


@dataclass(slots=True)
class Changed:
    """A save whose contents differ from those that were saved, although its version does not."""

    held: Held


def patches() -> list[Patch]:
    return [Patch(graph, "disable_saved_tensors_hooks", _wrap_disable)]


def _wrap_disable(original: Any) -> Any:
    @contextmanager
    def disable_saved_tensors_hooks(error_message: str) -> Generator[None, None, None]:
        session = active.current()
        saves = session.saves if session is not None else None
        with saves.aside() if saves is not None else _no_change(), original(error_message):
            yield

    return disable_saved_tensors_hooks


@contextmanager
def _no_change() -> Generator[None, None, None]:
    yield


class SaveWatch:
    """Pushed as default hooks while a guard in one of these modes is active."""

    def __init__(self, recorder: Recorder, *, content: bool) -> None:
        self._recorder = recorder
        self._content = content
        self._live: dict[int, list[weakref.ref[Held]]] = {}
        self._on = False
        self.changed: list[Changed] = []
        self._new: list[Held] = []  # saved by the call in progress

    def push(self) -> None:
        torch._C._autograd._push_saved_tensors_default_hooks(self._pack, self._unpack)
        self._on = True
        if self._content:
            self._recorder.alert |= CONTENT

    def pop(self) -> None:
        if self._on:
            torch._C._autograd._pop_saved_tensors_default_hooks()
            self._on = False
            self._recorder.alert &= ~CONTENT

    @contextmanager
    def aside(self) -> Generator[None, None, None]:
        """Without these hooks; they must be the innermost ones."""
        top = torch._C._autograd._top_saved_tensors_default_hooks(True)
        if not self._on or top is None or top[0] != self._pack:
            yield
            return
        self.pop()
        try:
            yield
        finally:
            self.push()

    def saved_on(self, region: Region | None, version_shared: bool = True) -> Iterator[Held]:
        """Live saves that a write to this memory would break."""
        if region is None:
            return
        references = self._live.get(region.base)
        if references is None:
            return
        references[:] = [reference for reference in references if reference() is not None]
        if not references:
            del self._live[region.base]
            return
        for reference in references:
            held = reference()
            if held is not None and held.region is not None and (version_shared or overlap(held.region, region)):
                yield held

    def _pack(self, tensor: torch.Tensor) -> Any:
        with quiet():
            frame: FrameType = sys._getframe(1)
            held = Held(tensor, here(frame), self._recorder.journal.count + self._recorder.writing)
            if held.region is not None and held.region.base not in self._recorder.unread:
                references = self._live.setdefault(held.region.base, [])
                references.append(weakref.ref(held))
                if len(references) > 64:
                    references[:] = [reference for reference in references if reference() is not None]
                if len(self._live) > 50_000:
                    self._forget_dead()
                if self._content and held.region.on_cpu:
                    self._new.append(held)
            return held

    def _unpack(self, held: Held) -> torch.Tensor:
        with quiet():
            self.settle()
            version = version_of(held.tensor)
            if version is not None and held.version is not None and version != held.version:
                raise RuntimeError(modified_text(held, version))
            region = held.region
            known = held.value is not None and region is not None and region_of(held.tensor) == region
            if known and region is not None and checksum(region.start, region.end) != held.value:
                self.changed.append(Changed(held))
                held.value = None
        return held.tensor

    def settle(self) -> None:
        """The call that saved these is over; what it did to them itself was its own affair (recurrent kernels do)."""
        for held in self._new:
            if held.region is not None:
                held.value = checksum(held.region.start, held.region.end)
        self._new.clear()

    def _forget_dead(self) -> None:
        for base, references in list(self._live.items()):
            references[:] = [reference for reference in references if reference() is not None]
            if not references:
                del self._live[base]


def modified_text(held: Held, version: int) -> str:
    """PyTorch's own words."""
    tensor = held.tensor
    return (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{tensor.type()} {list(tensor.shape)}] is at version {version}; expected version {held.version} instead. "
        "Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
        "torch.autograd.set_detect_anomaly(True)."
    )
