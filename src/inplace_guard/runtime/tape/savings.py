"""Which ops could write their result in place without touching anything saved, proved by running them so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inplace_guard.findings import Site
from inplace_guard.runtime.capture import Place, expression
from inplace_guard.runtime.tape.collect import collect
from inplace_guard.runtime.tape.model import TapeError
from inplace_guard.runtime.tape.observe import loss_of, require_unspent
from inplace_guard.runtime.tape.proof import Chosen, Run, Seeds, run
from inplace_guard.runtime.tape.survey import Call, Survey
from inplace_guard.runtime.tape.trace import Trace
from inplace_guard.runtime.tape.variants import Variant

__all__ = ["Candidate", "Savings", "find_savings"]

_LEAST = 256


@dataclass(slots=True)
class Candidate:
    """One line whose op could write in place. Measured with it alone in place: `peak`, bytes less at the peak of
    forward and backward, and `forward_peak`, at that of the forward; `nbytes`: not allocated any more, over all its
    calls. `why`: what the proof found against it."""

    site: Site
    text: str
    op: str
    inplace: str
    position: int
    modules: tuple[str, ...]
    calls: int
    nbytes: int
    chosen: Chosen = field(repr=False)
    peak: int = 0
    forward_peak: int = 0
    why: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "site": self.site.to_json(),
            "text": self.text,
            "op": self.op,
            "inplace": self.inplace,
            "operand": self.position,
            "modules": list(self.modules),
            "calls": self.calls,
            "bytes": self.nbytes,
            "peak_bytes": self.peak,
            "forward_peak_bytes": self.forward_peak,
            "why_not": self.why,
        }


@dataclass(frozen=True, slots=True)
class Savings:
    """`together`: the peak with all of `proved` in place. `refused` counts, by reason, the calls that have an in-place
    form that would overwrite something."""

    before: int
    together: int
    proved: tuple[Candidate, ...]
    dropped: tuple[Candidate, ...]
    refused: Mapping[str, int]

    def to_json(self) -> dict[str, Any]:
        return {
            "schema": 1,
            "kind": "savings",
            "peak_bytes": self.before,
            "peak_bytes_in_place": self.together,
            "proved": [candidate.to_json() for candidate in self.proved],
            "dropped": [candidate.to_json() for candidate in self.dropped],
            "refused": dict(self.refused),
        }


def find_savings(function: Callable[[], Any]) -> Savings:
    """Runs the function several times, always from the same state of the random generators."""
    seeds = Seeds()
    candidates, refused = _survey(function)
    before = run(function, {}, seeds)
    if (difference := before.differs(run(function, {}, seeds))) is not None:
        raise TapeError(
            f"{difference} from one run to the next, so nothing can be proved: the function must start from the same "
            "state each time (build the model in it, or do not change it)"
        )
    proved: list[Candidate] = []
    dropped: list[Candidate] = []
    for candidate in candidates:
        _prove(function, seeds, before, candidate)
        (dropped if candidate.why is not None else proved).append(candidate)
    proved.sort(key=lambda candidate: (-candidate.peak, -candidate.forward_peak, -candidate.nbytes))
    together = _together(function, seeds, before, proved, dropped)
    return Savings(before.peak, together, tuple(proved), tuple(dropped), refused)


def _prove(function: Callable[[], Any], seeds: Seeds, before: Run, candidate: Candidate) -> None:
    after = run(function, candidate.chosen, seeds)
    candidate.why = before.differs(after)
    candidate.peak = before.peak - after.peak
    candidate.forward_peak = before.forward_peak - after.forward_peak
    if candidate.why is None and candidate.peak < 0:
        candidate.why = f"the peak is {-candidate.peak} bytes higher"
    if candidate.why is None and after.made >= before.made:
        candidate.why = "as much memory is made: the in-place form copies, in the forward or in the backward"


def _together(
    function: Callable[[], Any], seeds: Seeds, before: Run, proved: list[Candidate], dropped: list[Candidate]
) -> int:
    """All at once; where that fails, one more at a time, and what does not go with the others is dropped."""
    if not proved:
        return before.peak
    after = run(function, _joined(proved), seeds)
    if before.differs(after) is None:
        return after.peak
    kept: list[Candidate] = []
    peak = before.peak
    for candidate in list(proved):
        after = run(function, _joined([*kept, candidate]), seeds)
        candidate.why = before.differs(after)
        if candidate.why is None:
            kept.append(candidate)
            peak = after.peak
        else:
            candidate.why += ", together with the others"
            proved.remove(candidate)
            dropped.append(candidate)
    return peak


def _joined(candidates: Sequence[Candidate]) -> Chosen:
    return {index: chosen for candidate in candidates for index, chosen in candidate.chosen.items()}


def _survey(function: Callable[[], Any]) -> tuple[list[Candidate], Counter[str]]:
    with Trace() as trace:
        survey = Survey(trace.running)
        with survey:
            loss = loss_of(function)
    collected = collect([loss], None)
    require_unspent(collected.tape)
    ids = survey.ids
    saved = {ids.at(storage.data_ptr()) for storage in collected.memory.values()} | {ids.of(loss)}
    last_read = {number: call.index for call in survey.calls for number in call.reads}
    alive = ids.alive()
    refused: Counter[str] = Counter()

    def choose(call: Call) -> Variant | None:
        reasons = []
        for variant, number in call.targets:
            if number in saved:
                reasons.append("their input is saved for backward")
            elif number not in survey.made:
                reasons.append("their input was not made by the function")
            elif number in survey.exported:
                reasons.append("their input was handed to another library")
            elif last_read[number] > call.index:
                reasons.append("their input is read again")
            elif number in alive:
                reasons.append("their input is held by the program")
            else:
                return variant
        if reasons:
            refused[reasons[0]] += 1
        return None

    by_place: dict[Any, list[tuple[Call, Variant | None]]] = {}
    for call in survey.calls:
        if call.targets:
            by_place.setdefault((call.place, call.func, call.module), []).append((call, choose(call)))
    found: dict[Any, Candidate] = {}
    for (place, func, name_of_module), pairs in by_place.items():
        variants = {(variant.name, variant.position) for _, variant in pairs if variant is not None}
        where = pairs[0][0].site
        if len(variants) != 1 or any(variant is None for _, variant in pairs) or where is None:
            if variants:
                refused["not every call of the line could"] += sum(variant is not None for _, variant in pairs)
            continue
        ((name, position),) = variants
        chosen = {call.index: (func, variant) for call, variant in pairs if variant is not None}
        module = trace.names.shown(name_of_module)
        nbytes = sum(call.nbytes for call, _ in pairs)
        if nbytes < _LEAST * len(pairs):
            refused[f"they make less than {_LEAST} bytes"] += len(pairs)
            continue
        same = found.get((place, func, name, position))
        if same is None:
            op = getattr(func, "__name__", str(func))
            modules = (module,) if module else ()
            found[place, func, name, position] = Candidate(
                where, _text(place, where), op, name, position, modules, len(pairs), nbytes, chosen
            )
        else:
            same.modules = (*same.modules, *((module,) if module else ()))
            same.calls += len(pairs)
            same.nbytes += nbytes
            same.chosen = {**same.chosen, **chosen}
    return list(found.values()), refused


def _text(place: Place, where: Site) -> str:
    """The expression that makes the call; the line where Python does not tell columns."""
    text = " ".join((expression(place) or where.source or "").split())
    return text if len(text) <= 72 else f"{text[:71]}…"
