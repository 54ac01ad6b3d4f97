"""One guard at work: what happens before, in and after each backward of its thread."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from types import FrameType
from typing import Any

import torch

from inplace_guard.findings import Finding, Site
from inplace_guard.rules.native_errors import AT_BACKWARD, AT_WRITE, match
from inplace_guard.runtime.alerts import ENGINE
from inplace_guard.runtime.capture import Place, chain, here, site, target
from inplace_guard.runtime.careful import careful
from inplace_guard.runtime.compat import take_off
from inplace_guard.runtime.errors import InplaceHazardError
from inplace_guard.runtime.explain import from_hits
from inplace_guard.runtime.exports import tensors_in
from inplace_guard.runtime.failfast import refusals
from inplace_guard.runtime.graphwalk import edges_of, leaves_among, roots_of, walk
from inplace_guard.runtime.journal import Write
from inplace_guard.runtime.memory import overlap, region_of
from inplace_guard.runtime.modules import ModulePaths
from inplace_guard.runtime.parts import EVERYWHERE, Parts
from inplace_guard.runtime.postmortem import Hit, clobbered, detached, from_text, seen_elsewhere
from inplace_guard.runtime.report import EXPLAINED, enrich, finding, hazard
from inplace_guard.runtime.saves import Held, SaveWatch
from inplace_guard.runtime.silent import examine
from inplace_guard.runtime.silentwords import Words
from inplace_guard.runtime.sites import op_name, outer_site, short, site_of, write_site

__all__ = ["Session"]

_FAILED_SAVE = ("modified by an inplace operation", "detached in-place")


class Session:
    """`allow` holds the codes that are neither told nor raised, `raise_on` those that raise at the write, too."""

    def __init__(
        self,
        parts: Parts,
        findings: list[Finding],
        *,
        allow: frozenset[str] = frozenset(),
        raise_on: frozenset[str] = frozenset(),
        fail_fast: bool = False,
        content: bool = False,
    ) -> None:
        self.parts = parts
        self.recorder = parts.recorder
        self.findings = findings
        self.allow = allow
        self.raise_on = raise_on
        self.fail_fast = fail_fast
        self.saves = SaveWatch(parts.recorder, content=content) if fail_fast or content else None

    def listen(self) -> None:
        """Let the parts, which all sessions of the thread share, report here."""
        self.recorder.on_error = self._call_failed
        self.parts.found = self._found_at_write
        self.parts.on_call_over = self.saves.settle if self.saves is not None else lambda: None

    def open(self) -> None:
        self.listen()
        if self.saves is not None:
            self.saves.push()
            if self.fail_fast:
                self.recorder.before_write.append(self._refuse_saved)

    def close(self) -> None:
        if self.saves is not None:
            self.saves.pop()
            if self.fail_fast:
                self.recorder.before_write.remove(self._refuse_saved)

    def _refuse_saved(self, func: Any, targets: list[Any], frame: FrameType) -> None:
        __tracebackhide__ = True
        assert self.saves is not None
        marked = self.parts.bypass.marked
        for found in refusals(self.saves, self.recorder, marked, func, targets, frame):
            if found.code not in self.allow:
                self._raise([found])

    def backward(
        self,
        original: Callable[..., Any],
        outputs: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        frame: FrameType,
    ) -> Any:
        __tracebackhide__ = True
        recorder, parts = self.recorder, self.parts
        if recorder.suspended:
            recorder.resume()
        on = take_off(recorder)
        if isinstance(outputs, torch.Tensor):
            outputs = (outputs,)
        outermost = not recorder.engine_depth
        silent: list[Finding] = []
        if outermost:
            if parts.alarmed or _has_leaf(outputs):
                try:
                    silent = self._before(outputs, frame)
                except InplaceHazardError:
                    if on:
                        recorder.start()
                    raise
            parts.gradients.begin()
        start = recorder.sequence_nr()
        recorder.engine_depth += 1
        recorder.alert |= ENGINE
        if recorder.listens_in_backward:
            recorder.start()
        try:
            result = original(outputs, *args, **kwargs)
        except RuntimeError as error:
            take_off(recorder)
            self._backward_failed(error, outputs, frame, silent)
            raise
        finally:
            take_off(recorder)
            recorder.engine_depth -= 1
            if not recorder.engine_depth:
                recorder.alert &= ~ENGINE
            if on:
                recorder.start()
        if outermost:
            keep_graph = bool(args[1]) if len(args) > 1 else bool(kwargs.get("retain_graph"))
            found = self._after(result, outputs, keep_graph, frame)
            if found or silent:
                self._raise([*silent, *(found or ())])
        if recorder.sequence_nr() != start:
            recorder.note_engine(start, frame)
        return result

    def foresee(self, outputs: Any, needed: Place) -> list[Finding]:
        """What a backward from these, said to be at this place, would meet. Runs and raises nothing."""
        self.parts.before_backward(sys._getframe())
        roots = roots_of(outputs)
        hits = clobbered(roots, self.recorder.journal)
        self._name_segments(hits)
        found = from_hits(hits, site(needed, op="backward"), ModulePaths())
        found += self._found_before(roots, outputs, needed) or []
        return [entry for entry in _once(found) if entry.code not in self.allow]

    def _before(self, outputs: Any, frame: FrameType) -> list[Finding]:
        """What is wrong with this backward, although PyTorch will not say so. Raises, or leaves it for after."""
        __tracebackhide__ = True
        self.parts.before_backward(frame)
        roots = roots_of(outputs)
        silent = self._found_before(roots, outputs, here(frame)) or []
        # what PyTorch will stop itself keeps its own error; so may writes that a checkpoint's second run meets
        at_once = any(entry.code != "IPG209" for entry in silent)
        if at_once and not clobbered(roots, self.recorder.journal, first=True):
            self._raise(silent)
        return silent

    @careful
    def _found_before(self, roots: Sequence[Any], outputs: Any, place: Place | None) -> list[Finding]:
        found: list[Finding] = []
        if place is None:
            return found
        needed = site(place, op="backward")
        cut = self.parts.roots.cut_of(outputs)
        if cut is not None:
            found.append(_cut_off(cut, needed))
        if self.parts.bypass.pending:
            found += self._silent(roots, edges_of(outputs), needed)
        if self.parts.taint.mixed:
            self._list(self._mixed(roots, needed))
        return found

    def _mixed(self, roots: Sequence[Any], needed: Site) -> list[Finding]:
        """Values without history in this graph: told, not raised, for it may be meant."""
        parts = self.parts
        by_node = dict(parts.taint.mixed)
        words = Words(needed, ModulePaths(), {})
        nodes = list(walk(roots))
        numbers, leaves, before = {node._sequence_nr() for node in nodes}, leaves_among(nodes), parts.roots.newest
        return _once(
            words.mixed(cut, parts.recorder.journal.call_of(number))
            for number, cut in by_node.items()
            # a constant is meant where what made the values is trained all the same, by this backward or one before
            if number in numbers and (cut.write is None or (cut.source > before and not cut.leaves <= leaves))
        )

    def _list(self, found: Iterable[Finding]) -> None:
        self.findings += [entry for entry in found if entry.code not in self.allow and entry not in self.findings]

    def _silent(self, roots: Sequence[Any], edges: Sequence[tuple[Any, int]], needed: Site) -> list[Finding]:
        parts = self.parts
        journal = parts.recorder.journal
        overwritten, lost = examine(roots, edges, journal, parts.bypass)
        words = Words(needed, ModulePaths(), dict(parts.bypass.marked))
        found = [words.overwritten(hit) for hit in overwritten]
        found += [words.lost(hit) for hit in lost]
        if not parts.functions and not parts.hooks:
            return _once(found)
        segments: dict[int, tuple[Any, int]] = {}
        for node in walk(roots):
            number = node._sequence_nr()
            if parts.functions.keeps(number):
                found += [words.ctx(hit, journal.call_of(number)) for hit in parts.functions.examine(node, number)]
            if parts.hooks.keeps(number):
                found += [words.hooked(hit, journal.call_of(number)) for hit in parts.hooks.examine(number)]
            segment = parts.hooks.segment_of(number) if parts.hooks.has_segments else None
            if segment is not None:
                segments.setdefault(id(segment), (segment, number))
        for segment, number in segments.values():
            call = journal.call_of(number)
            found += [words.hooked(hit, call) for hit in parts.hooks.examine_segment(segment, number)]
        return _once(found)

    @careful
    def _after(self, result: Any, outputs: Any, keep_graph: bool, frame: FrameType) -> list[Finding]:
        parts = self.parts
        if not keep_graph:
            parts.roots.ran(outputs, frame)
        if isinstance(result, tuple) and len(result) > 1:
            parts.gradients.returned(result)
        parts.after_backward()
        parts.recorder.journal.trim_calls()
        if not (parts.gradients.found or parts.functions.read or (self.saves is not None and self.saves.changed)):
            return []
        place = here(frame)
        assert place is not None
        words = Words(site(place, op="backward"), ModulePaths(), dict(parts.bypass.marked))
        found = [words.gradient(hit) for hit in parts.gradients.found]
        found += [
            words.ctx(hit, parts.recorder.journal.call_of(hit.node._sequence_nr())) for hit in parts.functions.read
        ]
        parts.functions.read.clear()
        if self.saves is not None and self.saves.changed:
            found += [words.changed(entry.held, self._write_to(entry.held)) for entry in self.saves.changed]
            self.saves.changed.clear()
        return _once(found)

    def _write_to(self, held: Held) -> Write | None:
        for write in self.recorder.journal.writes_since(held.order):
            if write.region is not None and held.region is not None and overlap(write.region, held.region):
                return write
        return None

    @careful
    def _backward_failed(self, error: RuntimeError, outputs: Any, frame: FrameType, silent: Sequence[Finding]) -> None:
        place = here(frame)
        if place is None or hasattr(error, EXPLAINED) or isinstance(error, InplaceHazardError):
            return
        roots = roots_of(outputs)
        text = str(error)
        needed = site(place, op="backward")
        paths = ModulePaths()
        if any(part in text for part in _FAILED_SAVE):
            journal = self.recorder.journal
            hits = clobbered(roots, journal) or from_text(text, roots, journal) or detached(roots, journal)
            self._name_segments(hits)
            seen_elsewhere(hits, [parts.recorder.journal for parts in list(EVERYWHERE) if parts.beside(self.parts)])
            found = from_hits(hits, needed, paths)
            self._explained(error, _once([*found, *(entry for entry in silent if entry.code not in self.allow)]))
            return
        known = match(text, AT_BACKWARD)
        if known is None:
            self._call_failed(error, None, (), frame, None)
            return
        explanation, _ = known
        details = list(explanation.fixes)
        if explanation.code == "IPG301":
            earlier = self.parts.roots.freed_by(max((node._sequence_nr() for node in roots), default=None))
            if earlier is not None:
                details.insert(0, f"the graph was freed by the backward at {short(site(earlier))}")
        cut = self.parts.roots.cut_of(outputs)
        if cut is not None:
            self._explained(error, [_cut_off(cut, needed)])
            return
        message = f"{explanation.message} (backward at {short(needed)})"
        self._explained(error, [finding(explanation.code, message, needed, needed=needed, details=details)])

    def _name_segments(self, hits: Sequence[Hit]) -> None:
        """What a checkpoint keeps of its arguments no node shows: the call that read it inside the segment did."""
        for hit in hits:
            if hit.call is None and hit.node is None and hit.writes and hit.writes[-1].region is not None:
                segment = self.parts.hooks.segment_reading(hit.writes[-1].region.base)
                if segment is not None:
                    hit.call = self.recorder.journal.call_of(segment.start)

    @careful
    def _call_failed(
        self, error: RuntimeError, func: Any, args: tuple[Any, ...], frame: FrameType, since: int | None
    ) -> None:
        """A call raised; if PyTorch forbade a write, say which one and why."""
        if hasattr(error, EXPLAINED) or isinstance(error, InplaceHazardError):
            return
        known = match(str(error), AT_WRITE)
        place = here(frame)
        if known is None or place is None:
            return
        earlier = [entry for entry in self.findings if entry.code == "IPG211"]
        if func is None and known[0].code == "IPG106" and earlier:
            enrich(error, earlier[-1:])
            return
        explanation, groups = known
        paths = ModulePaths()
        where = site_of(chain(frame), _function_name(func), self.recorder.module_of(frame), paths)
        shown = where.op or "this call"
        name = target(place, func) or "x"
        if explanation.code == "IPG109" and since is not None:
            writes = list(self.recorder.journal.writes_since(since))
            if writes:
                where = write_site(writes[-1], paths)
                name = target(writes[-1].place, writes[-1].func) or name
        elif explanation.of_base and (written := self._last_write_under(args)) is not None:
            where = write_site(written, paths)
            shown = where.op or shown
            name = target(written.place, written.func) or name
        message = explanation.message.format(*groups, op=f"{shown} at {short(where)}", name=name)
        details = [fix.format(*groups, op=shown, name=name) if "{" in fix else fix for fix in explanation.fixes]
        if (outer := outer_site(chain(frame), where)) is not None:
            details.insert(0, f"reached from {short(outer)}: {outer.source}")
        self._explained(error, [finding(explanation.code, message, where, details=details)])

    def _last_write_under(self, args: tuple[Any, ...]) -> Write | None:
        """The write that left an argument, a view, with a history that cannot be told."""
        bases = {region.base for value in tensors_in(args) if (region := region_of(value)) is not None}
        last = None
        for write in self.recorder.journal.writes_since(0):
            if write.region is not None and write.region.base in bases:
                last = write
        return last

    def _explained(self, error: BaseException, found: list[Finding]) -> None:
        self.findings.extend(found)
        enrich(error, found)

    def _found_at_write(self, kind: str, write: Write, detail: str) -> None:
        __tracebackhide__ = True
        words = Words(None, ModulePaths(), dict(self.parts.bypass.marked))
        found = words.at_write(kind, write, detail)
        if found.code in self.raise_on or self.fail_fast:
            self._raise([found])
        else:
            self._list([found])

    def _raise(self, found: Sequence[Finding]) -> None:
        __tracebackhide__ = True
        wanted = [entry for entry in found if entry.code not in self.allow]
        if wanted:
            self.findings.extend(wanted)
            raise hazard(wanted)


def _has_leaf(outputs: Iterable[Any]) -> bool:
    for output in outputs:  # noqa: SIM110 (a generator costs as much as the rest of this backward's bookkeeping)
        if getattr(output, "grad_fn", output) is None:
            return True
    return False


def _function_name(func: Any) -> str:
    owner = getattr(func, "__self__", None)
    if getattr(func, "__name__", "") == "apply" and isinstance(owner, type):
        return owner.__name__
    return op_name(func) if func is not None else "a custom backward"


def _cut_off(cut: tuple[str, Place], needed: Site) -> Finding:
    how, place = cut
    where = site(place, op={"tensor": "torch.tensor", "data": ".data"}.get(how, how))
    return finding(
        "IPG303",
        f"{how} at {short(where)} cut the loss from its graph; the backward at {short(needed)} reaches no parameter",
        where,
        needed=needed,
        details=[
            "fix: call backward on the loss itself",
            "not a fix: requires_grad_() on the copy makes backward succeed and trains nothing",
        ],
    )


def _once(found: Iterable[Finding]) -> list[Finding]:
    """One finding for each line that wrote: the first."""
    seen: dict[tuple[str, int], Finding] = {}
    for entry in found:
        seen.setdefault((entry.write.path, entry.write.line), entry)
    return list(seen.values())
