"""From a log to diagnoses: reads it, finds the sources, asks the analysis, and says what is missing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from inplace_guard import rules
from inplace_guard.analysis.messages import finding, make_site
from inplace_guard.diagnose.facts import read_facts
from inplace_guard.diagnose.frames import Frame
from inplace_guard.diagnose.log import Failure, Log, essence, read
from inplace_guard.diagnose.model import Candidate, Diagnosis, Report
from inplace_guard.diagnose.notebooks import is_cell
from inplace_guard.diagnose.ranking import Clues, Where, covers, rank
from inplace_guard.diagnose.source import Module, Sources, is_own, is_plumbing
from inplace_guard.diagnose.trace import Trace, trace
from inplace_guard.findings import Site
from inplace_guard.rules.native_errors import AT_BACKWARD, AT_WRITE, Explanation, match

__all__ = ["diagnose"]

_Known = tuple[Explanation, tuple[str, ...]]  # and what it says in the places of its groups
_MOST_LIBRARIES = 3
_LARGEST_LIBRARY = 120_000  # characters
_LATER = "PyTorch noticed it only later"
_MEANING = "backward needs a tensor as it was when it was saved, and a write in place has changed it since"
_DETACHED = "backward needs a saved tensor that detach_() has since taken out of the graph"
# Raised when autograd looks at what a custom Function did, or at a view: the write itself came before.
_LATE = re.compile(
    r"has been used in an in-place operation|marked as dirty|mark_dirty"
    r"|its base or another view of its base has been modified"
)
# Errors that are often taken for one of these.
_NEIGHBOURS = {
    r"during the original forward and recomputation|Recomputed values for the following tensors": "A checkpointed "
    "segment ran otherwise when it ran again: look for what it changes outside of itself (a counter, a cache, a state "
    "that is kept), chance, and autocast",
    r"mark a variable ready only once": "A parameter got its gradient twice in one backward: by a layer that a "
    "reentrant checkpoint runs twice, or by a parameter that is used outside of forward; not by a write in place",
}
# Under which other codes the analysis may have found the write.
_ALSO = {
    "IPG302": ("IPG303",),
    "IPG103": ("IPG109", "IPG104"),
    "IPG104": ("IPG103",),
    "IPG106": ("IPG211",),
    "IPG109": ("IPG103", "IPG205"),
}


def diagnose(text: str, root: Path) -> Report:
    """Explains the errors in a log with the sources below `root`."""
    log = read(text)
    forwards = (failure.forward.frames if failure.forward else () for failure in log.failures)
    frames = [*chain(*(failure.frames for failure in log.failures), *forwards)]
    sources = Sources(root, frames)
    traces = _Traces()
    report = Report(list(_merged(_explain(failure, sources, traces) for failure in log.failures)))
    if not report.diagnoses:
        report.problems.append(_why_nothing(text, log))
    return report


def _merged(diagnoses: Iterable[Diagnosis]) -> Iterator[Diagnosis]:
    """One for each error. Several ranks that print without a mark, or a log within a log, spoil the tracebacks."""
    kept: dict[tuple[object, ...], Diagnosis] = {}
    for diagnosis in diagnoses:
        best = diagnosis.candidates[0] if diagnosis.candidates else None
        failure = diagnosis.failure
        where = (best.write.path, best.write.line) if best is not None else (failure.number,)
        key = (essence(failure.text), *where)
        other = kept.setdefault(key, diagnosis)
        if other is not diagnosis:
            better = best is not None and best.score > other.candidates[0].score
            failure.times = other.failure.times = failure.times + other.failure.times
            if better:
                failure.number = other.failure.number
                kept[key] = diagnosis
    yield from kept.values()


class _Traces:
    """The trace of each module, made once."""

    def __init__(self) -> None:
        self._known: dict[Path, Trace] = {}

    def of(self, modules: Iterable[Module]) -> list[tuple[Module, Trace]]:
        for module in (modules := list(modules)):
            if module.path not in self._known:
                self._known[module.path] = trace(module.scope) if "torch" in module.scope.source else Trace()
        return [(module, self._known[module.path]) for module in modules]


def _explain(failure: Failure, sources: Sources, traces: _Traces) -> Diagnosis:
    known = None if _of_save(failure.text) else match(failure.text, (*AT_WRITE, *AT_BACKWARD))
    frames = failure.forward.frames if failure.forward else ()
    clues = Clues(
        failure.text,
        read_facts(failure.text),
        node=failure.forward.node if failure.forward else "",
        shown=(*failure.frames, *frames),
        forward=_where(frames, sources),
        backward=_where(failure.frames, sources),
    )
    diagnosis = _found(failure, known, clues, traces.of(_near(clues, sources)))
    if not diagnosis.candidates or diagnosis.candidates[0].likelihood == "possible":
        libraries = [module for module, *_ in clues.frames if _is_small_library(module)]
        if more := list(dict.fromkeys(libraries))[:_MOST_LIBRARIES]:
            diagnosis = _found(failure, known, clues, traces.of(dict.fromkeys([*_near(clues, sources), *more])))
    diagnosis.forward = _site(frames, clues.forward)
    diagnosis.raised = _site(failure.frames, clues.backward, own=True)
    for module in {where.module for where in clues.frames if where.module.book is not None}:
        _in_cells(diagnosis, module)
    diagnosis.in_backward = known is None or known[0] in AT_BACKWARD or _in_engine(failure)
    sure = bool(diagnosis.candidates) and diagnosis.candidates[0].likelihood == "very likely"
    diagnosis.missing = _missing(failure, known is None, clues, sources, sure)
    diagnosis.advice = _advice(failure, known, diagnosis, sources)
    return diagnosis


def _in_cells(diagnosis: Diagnosis, module: Module) -> None:
    assert module.book is not None
    diagnosis.candidates = [module.book.located(one, module.shown) for one in diagnosis.candidates]
    diagnosis.forward = diagnosis.forward and module.book.site(diagnosis.forward, module.shown)
    diagnosis.raised = diagnosis.raised and module.book.site(diagnosis.raised, module.shown)


def _near(clues: Clues, sources: Sources) -> list[Module]:
    """The files of the program that matter, and of libraries the one that anomaly mode names."""
    named = list(dict.fromkeys(module for module, *_ in clues.frames))
    own = [module for module in named if not module.installed]
    saving = [where.module for where in clues.forward[:1] if where.module.installed]
    if own or saving:
        return sources.with_imports([*own, *saving])
    return [] if any(is_own(frame) for frame in clues.shown) else sources.all()


def _is_small_library(module: Module) -> bool:
    """A file of a library that may be looked at: the large ones are loops of training, and take long."""
    return module.installed and len(module.scope.source) < _LARGEST_LIBRARY


def _found(
    failure: Failure,
    known: _Known | None,
    clues: Clues,
    seen: Sequence[tuple[Module, Trace]],
) -> Diagnosis:
    if known is None:
        meaning = _DETACHED if "detached in-place" in failure.text else _MEANING
        diagnosis = Diagnosis(failure, "IPG101", meaning, clues.facts, rank(clues, seen))
        if diagnosis.candidates:
            diagnosis.code = diagnosis.candidates[0].code
        return diagnosis
    explanation, groups = known
    meaning = explanation.message.format(*groups, op="the code", name="x")
    candidates = _raised_there(failure, explanation, clues, seen)
    code = candidates[0].code if candidates else explanation.code
    return Diagnosis(failure, code, meaning, clues.facts, candidates)


def _of_save(text: str) -> bool:
    return "modified by an inplace operation" in text or "detached in-place" in text


def _where(frames: Sequence[Frame], sources: Sources) -> list[Where]:
    """The frames that lie in files here, innermost first."""
    found: list[Where] = []
    for frame in reversed(frames):
        place = None if is_plumbing(frame) else sources.of_frame(frame)
        if place is not None:
            found.append(Where(*place, frame.function.rpartition(".")[2], frame))
    return found


def _site(frames: Sequence[Frame], where: Sequence[Where], own: bool = False) -> Site | None:
    """The innermost frame of the user: in the file here, else as the log has it. own: rather none of a library."""
    if where:
        module, line, _, frame = next((one for one in where if not one.module.installed), where[0]) if own else where[0]
        return Site(module.shown, line or frame.line, source=_code(module, line) or frame.source or None)
    last = next((frame for frame in reversed(frames) if not is_plumbing(frame)), None)
    return Site(last.path, last.line, source=last.source or None) if last else None


def _code(module: Module, line: int) -> str | None:
    return module.lines[line - 1].strip() if 0 < line <= len(module.lines) else None


# Errors that are raised at the write, or at the backward itself


def _raised_there(
    failure: Failure, explanation: Explanation, clues: Clues, seen: Sequence[tuple[Module, Trace]]
) -> list[Candidate]:
    late = _is_late(failure, explanation)
    codes = (explanation.code, *_ALSO.get(explanation.code, ()))
    here = _here(failure, clues, explanation)
    alone = not failure.frames  # nothing but the error: whatever the analysis finds of its kind
    found: list[Candidate] = []
    for module, trace_ in seen:
        for hazard in trace_.hazards:
            place = hazard.write.place
            if hazard.code not in codes:
                continue
            at = bool(clues.backward) and covers(module, place, clues.backward[0])
            if not (late or at or alone):
                continue
            site = make_site(place, hazard.write.label, module.shown, module.scope)
            said = f"the analysis: {finding(hazard, module.shown, module.scope).message}"
            why = "the error was raised here" if at else "the log names no line" if alone else _LATER
            reasons = (said, why)
            code = hazard.code if explanation in AT_BACKWARD else explanation.code
            found.append(Candidate(code, site, "very likely" if at else "likely", reasons, 9 if at else 6))
    if here is not None and not any(one.write.line == here.write.line for one in found if one.score > 6):
        found.insert(len(found) if late else 0, here)
    unique: dict[tuple[str, int], Candidate] = {}
    for one in sorted(found, key=lambda one: -one.score):  # of equals the one in the file that is nearest
        unique.setdefault((one.write.path, one.write.line), one)
    found = list(unique.values())[:5]
    return found if not alone or len(found) < 2 else [replace(one, likelihood="possible") for one in found]


def _is_late(failure: Failure, explanation: Explanation) -> bool:
    """Whether the error was raised after the write: when a view is used, a Function returns, or in backward."""
    late = explanation.of_base or _LATE.search(failure.text) is not None
    return late or (explanation in AT_WRITE and _in_engine(failure))


def _in_engine(failure: Failure) -> bool:
    return any("run_backward" in frame.function for frame in failure.frames)


def _here(failure: Failure, clues: Clues, explanation: Explanation) -> Candidate | None:
    site = _site(failure.frames, clues.backward)
    if site is None:
        return None
    late = _is_late(failure, explanation)
    what = "PyTorch noticed it here; the write came before" if late else "the error was raised here"
    function = clues.backward[0].function if clues.backward else ""
    return Candidate(explanation.code, site, "possible" if late else "very likely", (what,), 3 if late else 8, function)


# What is missing, and what to do


def _missing(failure: Failure, saved: bool, clues: Clues, sources: Sources, sure: bool) -> list[str]:
    missing: list[str] = []
    if not failure.frames:
        missing.append("the traceback above the error; all files below the folder were looked at instead")
    elif not any(is_own(frame) for frame in failure.frames):
        missing.append("the upper part of the traceback, with the lines of the program")
    for frame in (*failure.frames, *(failure.forward.frames if failure.forward else ())):
        reason = sources.unknown.get(frame.path.replace("\\", "/"))
        if reason is not None and not is_plumbing(frame):
            text = f"the file {frame.path}: {reason}"
            if text not in missing:
                missing.append(text)
    if saved and "detached in-place" not in failure.text:
        missing += [f"{part}: the error's text is cut off" for part in clues.facts.missing]
        if failure.forward is None and not sure:
            missing.append("anomaly mode's part, which names the line that saved the tensor")
        elif failure.forward is not None and not failure.forward.frames:
            missing.append("the traceback of anomaly mode's part: it is cut off")
    return missing


def _advice(failure: Failure, known: _Known | None, diagnosis: Diagnosis, sources: Sources) -> tuple[str, ...]:
    explanation, groups = known if known is not None else (None, ())
    advice = [fix.format(*groups, op="the code", name="x") for fix in explanation.fixes] if explanation else []
    if explanation is None and diagnosis.candidates:
        rule = rules.get(diagnosis.code)
        fix = (
            "fix: run backward before the step, or the forward again after it"
            if diagnosis.code == "IPG107"
            else "fix: use the out-of-place form (`x = x + y` for `x += y`), so that the saved tensor stays as it was"
        )
        advice.append(f"{fix}; see `inplace-guard explain {rule.code}`")
    if explanation is None or not diagnosis.candidates:
        advice.append(f"{_command(failure, sources)} names the write, the save and the backward")
    return tuple(advice)


def _command(failure: Failure, sources: Sources) -> str:
    """How to run the same program under the guard."""
    own = [frame for frame in failure.frames if is_own(frame)]
    if any(is_cell(frame.path) for frame in own):
        return "to be sure: `with inplace_guard.guard():` around the forward and the backward, in the cell,"
    tests = [
        frame for frame in own if re.match(r"test_\w*\.py$|\w+_test\.py$", Path(frame.path.replace("\\", "/")).name)
    ]
    if tests:
        path = sources.local(tests[0].path)
        return f"to be sure: `pytest -p inplace_guard {sources.shown(path) if path else tests[0].path}`"
    main = next((frame for frame in own if frame.function == "<module>"), None)
    if main is None:
        return "to be sure: `inplace-guard run SCRIPT ARGUMENTS` in place of `python SCRIPT ARGUMENTS`"
    path = sources.local(main.path)
    return f"to be sure: `inplace-guard run {sources.shown(path) if path else main.path}` with the arguments of the job"


def _why_nothing(text: str, log: Log) -> str:
    if not text.strip():
        return "the log is empty"
    if log.other:
        near = next((f". {words}" for part, words in _NEIGHBOURS.items() if re.search(part, log.other)), "")
        return f"no error about in-place writes or the graph; the last error is: {log.other[:200]}{near}"
    if log.frames:
        last = next((frame for frame in reversed(log.frames) if not is_plumbing(frame)), log.frames[-1])
        return (
            f"the traceback ends without its error (its last line is {last.path}, line {last.line}): "
            "the log is cut off; the line that begins with RuntimeError is needed. If it is lost, run the program as "
            "`inplace-guard run SCRIPT ARGUMENTS`"
        )
    return "no traceback and no error of PyTorch; give the part of the log with the line that begins with RuntimeError"
