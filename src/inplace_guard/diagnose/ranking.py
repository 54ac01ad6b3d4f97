"""Which write did it: everything that the error tells is held against what the analysis saw."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from inplace_guard.analysis.messages import make_site
from inplace_guard.analysis.tape import Place
from inplace_guard.diagnose.facts import Facts
from inplace_guard.diagnose.frames import Frame
from inplace_guard.diagnose.model import Candidate, Likelihood
from inplace_guard.diagnose.nodes import fits
from inplace_guard.diagnose.shapes import agrees, call_at, weight_shape
from inplace_guard.diagnose.source import Module
from inplace_guard.diagnose.trace import Blind, Hit, Step, Trace, Written
from inplace_guard.findings import Site

__all__ = ["Clues", "Where", "covers", "rank"]

# Writes that PyTorch's version counter sees; others cannot be what this error speaks of.
_COUNTED = ("inplace", "optimizer", "no_grad")
_CODES = ("IPG101", "IPG102", "IPG107")
_MOST = 5
_DETACH = "detached in-place"


class Where(NamedTuple):
    """A frame that lies in a file here. `line` is 0 if the code of the log is no longer there."""

    module: Module
    line: int
    function: str
    frame: Frame


@dataclass(slots=True)
class Clues:
    """What the log says of one error. Frames are innermost first."""

    text: str
    facts: Facts
    node: str = ""  # the node whose backward failed
    forward: list[Where] = field(default_factory=list)
    backward: list[Where] = field(default_factory=list)
    shown: tuple[Frame, ...] = ()  # all frames of the log

    @property
    def frames(self) -> list[Where]:
        return [*self.forward, *self.backward]


def rank(clues: Clues, traces: Sequence[tuple[Module, Trace]]) -> list[Candidate]:
    """The best few, best first; each line once."""
    best: dict[tuple[str, int], Candidate] = {}
    for module, trace in traces:
        reported = {_key(module, h.write.place): h for h in trace.hazards if h.code in _CODES}
        for hit in trace.hits:
            hazard = reported.get(_key(module, hit.written.write.place))
            certain = None if hazard is None else hazard.certain
            _offer(best, _of_hit(clues, module, hit, certain))
        for written in trace.writes:
            _offer(best, _of_write(clues, module, written))
        for step in trace.steps:
            renewed = [place for other in trace.steps if other.place.line == step.place.line for place in other.renewed]
            _offer(best, _of_step(clues, module, step, renewed))
        for blind in trace.blind:
            _offer(best, _of_blind(clues, module, blind))
    ranked = sorted(best.values(), key=lambda one: (-one.score, one.write.path, one.write.line))
    if all(where.module.installed for where in clues.frames):
        ranked = list(_less_sure(ranked))
    top = ranked[0].score if ranked else 0
    return [one for one in ranked if one.score >= max(top / 3, 0.5)][:_MOST] if top > 0 else ranked[:3]


def _less_sure(ranked: Sequence[Candidate]) -> Iterator[Candidate]:
    """Without a traceback any of these may be it, and what fits is chance if several fit equally."""
    alone = len(ranked) < 2 or ranked[0].score - ranked[1].score > 1
    for one in ranked:
        likely = alone and one is ranked[0] and one.likelihood != "possible"
        yield replace(one, likelihood="likely" if likely else "possible")


def covers(module: Module, place: Place, where: Where) -> bool:
    """Whether a place, met while `module` was analysed, holds the line of a frame."""
    return place.line <= where.line <= place.end_line and module.file_of(place) == str(where.module.path)


def _key(module: Module, place: Place) -> tuple[str, int, int]:
    return module.file_of(place), place.line, place.column


def _offer(best: dict[tuple[str, int], Candidate], candidate: Candidate | None) -> None:
    if candidate is not None:
        key = (candidate.write.path, candidate.write.line)
        if key not in best or candidate.score > best[key].score:
            best[key] = candidate


def _possible(clues: Clues, written: Written) -> bool:
    write = written.write
    if _DETACH in clues.text:
        return write.op == "detach_" or (write.op, write.how) == ("zero_", "no_grad")  # zero_grad() does both
    return write.how in _COUNTED


def _of_hit(clues: Clues, module: Module, hit: Hit, certain: bool | None) -> Candidate | None:
    if not _possible(clues, hit.written):
        return None
    points = [
        *_by_forward(clues, module, hit),
        *_by_tensor(clues.facts, hit.named, hit.saved.view, hit.saved.param, hit.named != hit.saved.made_by),
        *((score / 2, "") for score, _ in _by_writer(clues.facts, hit.written) if hit.saved.save.what != "result"),
        *_by_shape(clues.facts, module, hit),
        *_by_backward(clues, module, hit),
        *_by_versions(clues.facts, hit),
        *_of_stack(clues, module, hit.written.write.place, hit.written.stack),
    ]
    save, write = hit.saved.save, hit.written.write
    if certain is not None:
        points.append((4 if certain else 3, "the analysis reports this write by itself"))
    points.append(({"op": 1.0, "opaque": 0.0}.get(save.how, -4.0), ""))
    saved = make_site(save.node.place, save.node.label, module.shown, module.scope)
    what = {"result": "its result", "weight": "its weight"}.get(save.what, "its input")
    verb = "probably keeps" if save.how == "opaque" else "saved"
    line = f"line {saved.line}" + (f" of {saved.path}" if save.node.place.file is not write.place.file else "")
    first = f"{save.node.label} on {line} {verb} {what}, in the memory that is written here"
    code = "IPG107" if write.how == "optimizer" else "IPG102" if save.how == "opaque" else "IPG101"
    return _candidate(code, module, write.place, write.label, hit.written.stack, points, first, saved)


def _of_write(clues: Clues, module: Module, written: Written) -> Candidate | None:
    """A write of which the analysis has seen no save: who reads the tensor may be out of its sight."""
    if not _possible(clues, written):
        return None
    points = [
        *_by_tensor(clues.facts, written.made_by, False, written.param),
        *_by_writer(clues.facts, written),
        *_of_stack(clues, module, written.write.place, written.stack),
    ]
    points += _after_save(clues, module, written.write.place, written.stack)
    if (clues.facts.of_view or clues.facts.of_leaf) and written.write.how in ("no_grad", "optimizer"):
        points.append((2, "it writes outside of the graph, as updates of parameters and buffers do"))
    points.append((-1.5, ""))
    first = "it writes a tensor; which op saved that could not be seen"
    code = "IPG107" if written.write.how == "optimizer" else "IPG102"
    write = written.write
    return _candidate(code, module, write.place, write.label, written.stack, points, first, None)


def _of_step(clues: Clues, module: Module, step: Step, renewed: Sequence[Place]) -> Candidate | None:
    """An optimizer of parameters that cannot be seen."""
    facts = clues.facts
    weight = facts.of_view and facts.shape is not None and len(facts.shape) == 2
    if not (weight or facts.of_leaf) or _DETACH in clues.text:
        return None
    why = (
        f"{facts.op} of shape {list(facts.shape or ())} is how a Linear saves its weight"
        if weight
        else ("no op made the tensor, as the error says: a parameter, perhaps")
    )
    points: list[tuple[float, str]] = [(2.5, why)]
    if step.zeroed:
        points.append((1, ""))
    if any(covers(module, place, where) for place in step.before for where in clues.backward):
        points.append((1.5, "it is the last step before the backward that failed"))
    elif any(covers(module, place, where) for place in renewed for where in clues.backward):
        points.append((-3, ""))
    points += _of_stack(clues, module, step.place, step.stack)
    first = "a step of an optimizer writes its parameters; which these are could not be seen"
    return _candidate("IPG107", module, step.place, step.label, step.stack, points, first, None)


def _of_blind(clues: Clues, module: Module, blind: Blind) -> Candidate | None:
    if _DETACH in clues.text and blind.op != "detach_":
        return None
    points: list[tuple[float, str]] = [*_of_stack(clues, module, blind.place, blind.stack)]
    if not points:
        return None
    if blind.op == "__setitem__" and clues.facts.op in ("CopySlices", "IndexPut"):
        points.append((1, f"the tensor came from a write to a part of it, as the error says ({clues.facts.op})"))
    points += _after_save(clues, module, blind.place, blind.stack)
    first = "if what it changes is a tensor, this writes it in place; the analysis cannot see what it is"
    return _candidate("IPG102", module, blind.place, blind.op, blind.stack, points, first, None)


Points = Iterator[tuple[float, str]]


def _by_forward(clues: Clues, module: Module, hit: Hit) -> Points:
    node = hit.saved.node
    for depth, where in enumerate(clues.forward):
        if covers(module, node.place, where):
            which = "anomaly mode names that line" if depth == 0 else "that line is in anomaly mode's traceback"
            yield (6, which) if depth == 0 else (2, which)
            break
    else:
        if clues.forward and str(clues.forward[0].module.path) == module.file_of(node.place):
            yield -3, ""
    if clues.node:
        if fits(node.op, clues.node) or fits(node.label, clues.node):
            yield 2, f"its backward is {clues.node}, which failed"
        elif node.op.lower() not in ("opaque", "call") and hit.saved.save.how == "op":
            yield -1, ""


def _by_tensor(facts: Facts, made_by: str, view: bool, param: bool, written: bool = False) -> Points:
    if facts.of_view:
        if param and facts.shape is not None and len(facts.shape) == 2:
            yield 3, f"{facts.op} of shape {list(facts.shape)} is how a Linear saves its weight, transposed"
        elif view:
            yield 2, f"the tensor was a view, which PyTorch calls {facts.op} once its base is written"
        elif made_by in ("__getitem__", "CopySlices", "__setitem__"):
            yield 1, ""
        elif made_by:
            yield -1, ""
    elif facts.op:
        if fits(made_by, facts.op):
            what = "the last op on the tensor was" if written else "the tensor came from"
            yield 4, f"{what} {made_by}, as the error says ({facts.op})"
        elif made_by:
            yield -2, ""
        elif param:
            yield -3, ""
    elif facts.of_leaf:
        if made_by:
            yield -2, ""
        else:
            yield 2, "no op made the tensor, as the error says: a parameter, a buffer or data"
    if param and facts.shape == ():
        yield -1, ""


def _by_writer(facts: Facts, written: Written) -> Points:
    """Of an input that was saved, PyTorch names the op that wrote it last."""
    write = written.write
    if facts.op and write.how == "inplace" and fits("__setitem__" if write.part else write.op, facts.op):
        yield 1.5, f"it makes the tensor an output of {facts.op}, as the error says"


def _by_shape(facts: Facts, module: Module, hit: Hit) -> Points:
    call = call_at(module.scope, hit.made) if hit.made is not None and hit.saved.save.what == "weight" else None
    shape = weight_shape(call) if call is not None else None
    verdict = agrees(facts.shape, shape) if shape is not None and facts.shape is not None else None
    if verdict and shape is not None and call is not None and hit.made is not None:
        whole = None not in shape
        what = "is" if whole else "may be"
        words = f"{list(facts.shape or ())} {what} the shape of the weight of {ast.unparse(call)}, line {hit.made.line}"
        yield (2 if whole else 1), words
    elif verdict is False:
        yield -4, ""


def _by_backward(clues: Clues, module: Module, hit: Hit) -> Points:
    if any(covers(module, place, where) for place in hit.needed for where in clues.backward):
        yield 4, "the backward that failed needs it"
    elif hit.leaves:
        yield 2, "it is handed on, and a later backward needs it"
    elif hit.needed:
        yield (-3, "") if clues.backward else (2, "a later backward needs it")
    else:
        yield -1, ""


def _by_versions(facts: Facts, hit: Hit) -> Points:
    if facts.writes is not None and facts.writes == hit.writes:
        times = "once" if facts.writes == 1 else f"{facts.writes} times"
        yield 1.5, f"it is written {times} after the save, as the versions say"


def _of_stack(clues: Clues, module: Module, place: Place, stack: tuple[str, ...]) -> Points:
    here = [where.function for where in clues.frames if str(where.module.path) == module.file_of(place)]
    if (stack[-1] if stack else "<module>") in here:
        yield 1, "its function is in the traceback"
    elif here:
        yield 0.5, "its file is in the traceback"


def _after_save(clues: Clues, module: Module, place: Place, stack: tuple[str, ...]) -> Points:
    for where in clues.forward[:1]:
        inside = str(where.module.path) == module.file_of(place)
        if inside and where.function == (stack[-1] if stack else "<module>") and 0 < where.line <= place.line:
            yield 1.5, f"it comes after line {where.line}, which saved the tensor"


def _candidate(
    code: str,
    module: Module,
    place: Place,
    label: str,
    stack: tuple[str, ...],
    points: Iterable[tuple[float, str]],
    first: str,
    saved: Site | None,
) -> Candidate:
    points = list(points)
    score = sum(number for number, _ in points)
    seen = saved is not None  # without a save that was seen, hardly more than a guess
    likelihood: Likelihood = (
        "very likely" if seen and score >= 8 else "likely" if score >= (4.5 if seen else 6) else "possible"
    )
    weighty = sorted((one for one in points if one[0] > 0 and one[1]), key=lambda one: -one[0])
    return Candidate(
        code=code,
        write=make_site(place, label, module.shown, module.scope),
        likelihood=likelihood,
        reasons=(first, *(reason for _, reason in weighty)),
        score=score,
        function=stack[-1] if stack else "",
        saved=saved,
    )
