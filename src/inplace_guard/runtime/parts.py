"""The recorder and everything that listens to it, put together. One set a thread."""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

from inplace_guard.runtime.again import Again
from inplace_guard.runtime.alerts import CONTENT, CUT, ENGINE, EXPORTS, SEGMENTS, STALE
from inplace_guard.runtime.aliases import Aliases
from inplace_guard.runtime.bypass import Bypass
from inplace_guard.runtime.capture import here
from inplace_guard.runtime.careful import careful
from inplace_guard.runtime.compat import Torch
from inplace_guard.runtime.exports import Exports
from inplace_guard.runtime.functions import Functions
from inplace_guard.runtime.gradients import Gradients
from inplace_guard.runtime.journal import Step, Write
from inplace_guard.runtime.normalisation import Normalisation
from inplace_guard.runtime.oldnames import OldNames
from inplace_guard.runtime.overlapping import Overlapping
from inplace_guard.runtime.recorder import Args, Kwargs, Recorder
from inplace_guard.runtime.roots import Roots
from inplace_guard.runtime.savedhooks import SavedHooks
from inplace_guard.runtime.taint import Taint

__all__ = ["EVERYWHERE", "Parts"]


EVERYWHERE: weakref.WeakSet[Parts] = weakref.WeakSet()  # those of all threads


class Parts:
    """`found(kind, write, detail)` is told of hazards that show at the write itself; it may be changed at any time."""

    def __init__(self, api: Torch) -> None:
        EVERYWHERE.add(self)
        self.recorder = Recorder(api)
        self._in_use = False
        self._began = self._ended = 0.0
        self.found: Callable[[str, Write, str], None] = lambda kind, write, detail: None
        self.on_call_over: Callable[[], None] = lambda: None
        self.bypass = Bypass(self.recorder)
        self.exports = Exports(self.recorder, self.bypass)
        self.functions = Functions(self.recorder, self.bypass)
        self.gradients = Gradients(self.recorder)
        self.gradients.on_backward = self.functions.begins_backward
        self.gradients.after_backward = self.functions.ends_backward
        self.hooks = SavedHooks(self.recorder, self.bypass)
        self.taint = Taint(self.recorder)
        self.aliases = Aliases(self.recorder, lambda write, reason: self.found("alias", write, reason))
        self.bypass.on_leaf_data = self.aliases.took
        self.bypass.on_rebound = self.aliases.rebound
        self.bypass.on_filled = self.taint.filled
        self.roots = Roots(self.recorder, self.bypass, self.aliases, self.taint)
        self.overlapping = Overlapping(self.recorder, lambda kind, write: self.found(kind, write, ""))
        self.normalisation = Normalisation(
            self.recorder, self.bypass, self.hooks, lambda write: self.found("batch_norm_twice", write, "")
        )
        self.old_names = OldNames(lambda kind, write, detail: self.found(kind, write, detail))
        self.again = Again(lambda write: self.found("alias", write, "again"), self.old_names.bound_by_call)
        self.functions.on_apply.append(self._reentrant_checkpoint)
        recorder = self.recorder
        recorder.on_write = self._wrote
        recorder.on_touch = self._touched
        recorder.on_result = self._resulted
        recorder.on_expanded = lambda write: self.found("expanded", write, "")

    @careful
    def _wrote(
        self, targets: Sequence[Any], writes: list[Write], args: Args, kwargs: dict[str, Any], frame: FrameType
    ) -> None:
        if self.hooks.in_recompute or self.recorder.engine_depth:
            for write in writes:
                write.recomputing = True
        self.bypass.note(targets, writes, args, kwargs)
        if self.functions:
            self.functions.note(writes)
        if self.hooks:
            self.hooks.note(writes)
        if self.gradients or self.recorder.engine_depth:
            self.gradients.note(targets, writes, frame)
            for write in self.gradients.take_results():
                self.found("gradient_result", write, "")
        if self.recorder.alert & EXPORTS:
            self.exports.refresh(writes)
        name = getattr(writes[0].func, "__name__", "") if writes else ""
        if name in ("add_", "lerp_"):
            self.aliases.blended_with_itself(args, kwargs, writes[0])
        if name in ("zero_", "_foreach_zero_", "_foreach_mul_") or (name == "mul_" and _in_clip(frame)):
            self.aliases.scaled(targets, writes, args, frame)
        elif name == "copy_" and len(args) > 1:
            self.aliases.restored(targets[0], args[1], writes[0], frame)
        if self.overlapping:
            self.overlapping.note(targets, writes)
        if not self.recorder.engine_depth:
            self.again.note(targets, writes, args)
            self.old_names.note(writes, frame)

    @careful
    def stepped(self, step: Step, parameters: Sequence[Any]) -> None:
        """An optimizer has stepped; as a rule nothing rests on what it wrote, so look only at what may."""
        self.aliases.stepped(step, parameters)
        bases = {region.base for region in step.regions if region is not None}
        unversioned = any(before == after for before, after in zip(step.before, step.after, strict=True))
        if unversioned or self.bypass.watches(bases) or self.functions.watches(bases) or self.hooks.watches(bases):
            writes = step.writes()
            for write in writes:
                if write.unversioned or (write.region is not None and write.region.base in self.bypass.marked):
                    self.bypass.suspect(write)
            self.functions.note(writes)
            self.hooks.note(writes)
        if self.recorder.alert & EXPORTS:
            kept = self.exports.kept_over(bases)
            if kept is not None:
                write = next(w for w in step.writes() if w.region is not None and w.region.base == kept.region.base)
                self.found("alias", write, "array")
            self.exports.refresh(step.writes())

    @careful
    def _touched(self, args: Args, kwargs: Kwargs, targets: Sequence[Any], frame: FrameType) -> None:
        alert = self.recorder.alert
        if alert & CONTENT:
            self.on_call_over()
        values = (*args, *kwargs.values()) if kwargs else args
        if alert & EXPORTS:
            self.exports.touch(values, frame)
        if alert & STALE:
            self.functions.reads(values)
        if alert & SEGMENTS:
            self.hooks.reads(value for value in values if not any(value is target for target in targets))

    @careful
    def _resulted(self, args: Args, result: Any) -> None:
        alert = self.recorder.alert
        if alert & SEGMENTS:
            self.hooks.makes(args, result)
        if alert & ENGINE:
            self.gradients.made(args, result)
        if alert & CONTENT:
            self.on_call_over()
        if alert & CUT:
            self.taint.passed(args, result)

    def _reentrant_checkpoint(self, cls: Any, begins: bool) -> None:
        """`CheckpointFunction` is the segment of a checkpoint with use_reentrant=True."""
        if cls.__name__ == "CheckpointFunction" and cls.__module__ == "torch.utils.checkpoint":
            if begins:
                self.hooks.begin_segment()
            else:
                self.hooks.end_segment()

    @property
    def alarmed(self) -> bool:
        """Whether something has happened that makes it worth looking at a graph before it is used."""
        return bool(self.bypass.pending or self.taint.mixed or self.exports)

    def is_free(self) -> bool:
        """Whether no thread is using this memory now."""
        return not self._in_use

    def beside(self, other: Parts) -> bool:
        """Whether this was in use, in another thread, while `other` was: memory of earlier times has other tenants."""
        return self is not other and (self._in_use or self._ended > other._began)

    def begin(self) -> None:
        self._in_use = True
        self._began = time.monotonic()
        self.recorder.journal.began = self.recorder.journal.count
        self.recorder.before_write.clear()  # a block of `frozen` may have been left open
        self.recorder.start()

    def end(self) -> None:
        self.recorder.stop()
        self.exports.close()
        self._in_use = False
        self._ended = time.monotonic()

    def after_backward(self) -> None:
        self.aliases.accumulated()
        self.again.backwards += 1

    @careful
    def before_backward(self, frame: FrameType) -> None:
        if self.exports:
            self.exports.observe_all(here(frame))


def _in_clip(frame: FrameType) -> bool:
    return frame.f_code.co_filename.endswith("clip_grad.py")
