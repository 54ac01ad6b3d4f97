"""What `diagnose` found, for people and as JSON: the line first, then why, then what the log said."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from inplace_guard.diagnose.model import Candidate, Diagnosis, Report
from inplace_guard.findings import SCHEMA, Site
from inplace_guard.report.machine import dumps
from inplace_guard.report.text import clean

__all__ = ["diagnosis_json", "diagnosis_text"]

_STYLES = {"very likely": "bold red", "likely": "bold yellow", "possible": "bold cyan"}
_WIDEST = 200
_MOST_REASONS = 5


def diagnosis_json(report: Report) -> str:
    document = {
        "schema": SCHEMA,
        "diagnoses": [diagnosis.to_json() for diagnosis in report.diagnoses],
        "problems": report.problems,
    }
    return dumps(document)


def diagnosis_text(report: Report) -> Iterator[Text]:
    """Lines without line ends."""
    for index, diagnosis in enumerate(report.diagnoses, 1):
        if index > 1:
            yield Text()
        number = f" {index} of {len(report.diagnoses)}" if len(report.diagnoses) > 1 else ""
        head = Text(f"error{number}[{diagnosis.code}]", "bold red")
        yield head.append(f": {clean(diagnosis.meaning)}", "bold")
        yield Text()
        if diagnosis.candidates:
            for rank, candidate in enumerate(diagnosis.candidates, 1):
                yield from _candidate(rank, candidate)
        else:
            yield Text("  No line of the local source could be named.")
        yield Text()
        yield from _facts(diagnosis)
        yield from _list("missing in the log", diagnosis.missing)
        yield from _list("what to do", diagnosis.advice)


def _candidate(rank: int, candidate: Candidate) -> Iterator[Text]:
    where = f" in {candidate.function}" if candidate.function else ""
    line = Text(f"  {rank}. ")
    line.append(_place(candidate.write), "bold")
    line.append(f"{where}: ")
    yield line.append(candidate.likelihood, _STYLES[candidate.likelihood])
    if candidate.write.source:
        yield Text(f"       {clean(candidate.write.source)[:_WIDEST]}")
    for reason in candidate.reasons[:_MOST_REASONS]:
        yield Text(f"     - {clean(reason)}")


def _facts(diagnosis: Diagnosis) -> Iterator[Text]:
    facts, failure = diagnosis.facts, diagnosis.failure
    times = f", {failure.times} times" if failure.times > 1 else ""
    text = failure.text.partition(": [" if facts.type else " Hint:")[0]  # the tensor is told below
    lines = [("error", f"line {failure.number} of the log{times}: {text.partition('. ')[0]}")]
    if facts.type or facts.op:
        shape = "" if facts.shape is None else f" of shape {list(facts.shape)}"
        made = f", output {facts.output} of {facts.op}" if facts.op else ", made by no op" if facts.of_leaf else ""
        lines.append(("tensor", f"{facts.type or 'unknown'}{shape}{made}"))
    if facts.found is not None:
        times = "" if facts.writes is None else f"; {facts.writes} {'write' if facts.writes == 1 else 'writes'} since"
        expected = "" if facts.expected is None else f"saved at version {facts.expected}, "
        lines.append(("versions", f"{expected}found at version {facts.found}{times}"))
    best = diagnosis.candidates[0] if diagnosis.candidates else None
    if best is not None and best.saved is not None and diagnosis.forward is None:
        lines.append(("saved", _site(best.saved)))
    if diagnosis.forward is not None:
        node = failure.forward.node if failure.forward else ""
        lines.append(("forward", f"{_site(diagnosis.forward)}{f'  ({node})' if node else ''}"))
    if diagnosis.raised is not None:
        lines.append(("backward" if diagnosis.in_backward else "raised", _site(diagnosis.raised)))
    for title, text in lines:
        line = Text(f"  {title:<9} ", "bold blue")
        yield line.append(clean(text), "none")


def _list(title: str, items: list[str] | tuple[str, ...]) -> Iterator[Text]:
    if items:
        yield Text()
        yield Text(f"  {title}:", "bold")
        for item in items:
            yield Text(f"  - {clean(item)}")


def _place(site: Site) -> str:
    cell = f":cell {site.cell}" if site.cell is not None else ""
    return clean(f"{site.path}{cell}:{site.line}" + (f":{site.column}" if site.column else ""))


def _site(site: Site) -> str:
    cell = f", cell {site.cell}" if site.cell is not None else ""
    return f"{site.path}{cell}, line {site.line}{f':  {site.source}' if site.source else ''}"
