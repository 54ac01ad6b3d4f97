"""Layers that write their buffers: batch norm's running statistics, an embedding's rows under max_norm."""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch

from inplace_guard.runtime.journal import Write
from inplace_guard.runtime.memory import region_of, state_of

if TYPE_CHECKING:
    from inplace_guard.runtime.bypass import Bypass
    from inplace_guard.runtime.recorder import Recorder
    from inplace_guard.runtime.savedhooks import SavedHooks

__all__ = ["Normalisation"]

_NAMES = {
    "batch_norm": ("input", "running_mean", "running_var", "weight", "bias", "training"),
    "instance_norm": ("input", "running_mean", "running_var", "weight", "bias", "use_input_stats"),
}
_TORCH_NAMES = {  # the builtins of torch take weight and bias first
    "batch_norm": ("input", "weight", "bias", "running_mean", "running_var", "training"),
    "instance_norm": ("input", "weight", "bias", "running_mean", "running_var", "use_input_stats"),
    "native_batch_norm": ("input", "weight", "bias", "running_mean", "running_var", "training"),
}
_MOST = 1024


class Normalisation:
    def __init__(self, recorder: Recorder, bypass: Bypass, hooks: SavedHooks, twice: Callable[[Write], None]) -> None:
        self._bypass = bypass
        self._hooks = hooks
        self._twice = twice
        self._read: set[int] = set()  # statistics that some graph has saved for its backward
        recorder.handlers["batch_norm"] = self._batch_norm
        recorder.handlers["max_norm"] = self._max_norm

    def _batch_norm(
        self, recorder: Recorder, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, frame: FrameType
    ) -> Any:
        name = getattr(func, "__name__", "")
        names = (_NAMES if hasattr(func, "__code__") else _TORCH_NAMES).get(name, _TORCH_NAMES["native_batch_norm"])
        given = {**dict(zip(names, args, strict=False)), **(kwargs or {})}
        statistics = [
            tensor for key in ("running_mean", "running_var") if isinstance(tensor := given.get(key), torch.Tensor)
        ]
        training = bool(given.get("training", given.get("use_input_stats", name == "instance_norm")))
        if not statistics or not training:
            for tensor in statistics:
                if torch.is_grad_enabled() and (region := region_of(tensor)) is not None:
                    self._read.add(region.base)
            if len(self._read) > _MOST:
                self._read.clear()
            return recorder.plain(func, args, kwargs, frame)
        if recorder.before_write:
            recorder.refuse(func, statistics, frame)
        before = [state_of(tensor) for tensor in statistics]
        start = recorder.sequence_nr()
        recorder.unread = {region.base for tensor in statistics if (region := region_of(tensor)) is not None}
        try:
            result = recorder.plain(func, args, kwargs, frame)
        finally:
            recorder.unread = set()
        writes = recorder.note_writes(func, statistics, before, start, frame)
        for write in writes:
            if write.region is not None and write.region.base in self._read:
                self._bypass.suspect(write)
        if recorder.engine_depth and self._hooks.ran_before(frame) and writes:
            self._twice(writes[0])
        return result

    def _max_norm(
        self, recorder: Recorder, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, frame: FrameType
    ) -> Any:
        """`F.embedding(input, weight, padding_idx, max_norm)` rewrites rows of the weight."""
        if kwargs and kwargs.get("max_norm", 0) is None:
            return recorder.plain(func, args, kwargs, frame)
        keywords = kwargs or {}
        weight = keywords.get("weight", args[1] if len(args) > 1 else None)
        limit = keywords.get("max_norm", args[3] if len(args) > 3 else None)
        if hasattr(func, "__code__") and isinstance(limit, (int, float)) and isinstance(weight, torch.Tensor):
            return recorder.call(func, args, kwargs, (weight,), frame)
        return recorder.plain(func, args, kwargs, frame)
