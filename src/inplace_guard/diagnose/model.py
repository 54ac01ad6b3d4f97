"""What a diagnosis consists of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from inplace_guard import rules
from inplace_guard.diagnose.facts import Facts
from inplace_guard.diagnose.log import Failure
from inplace_guard.findings import Site

__all__ = ["Candidate", "Diagnosis", "Likelihood", "Report"]

Likelihood = Literal["very likely", "likely", "possible"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A write that may be meant; `reasons` say why, the weightiest first. `function` is the one that it stands in."""

    code: str
    write: Site
    likelihood: Likelihood
    reasons: tuple[str, ...]
    score: float = 0.0
    function: str = ""
    saved: Site | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "rule": rules.get(self.code).name,
            "likelihood": self.likelihood,
            "score": round(self.score, 1),
            "function": self.function or None,
            "write": self.write.to_json(),
            "saved": self.saved and self.saved.to_json(),
            "reasons": list(self.reasons),
        }


@dataclass(slots=True)
class Diagnosis:
    """One error of the log. `forward` and `raised` are in the local files, or as the log has them.

    in_backward: it was raised by a backward, and not by the write itself.
    """

    failure: Failure
    code: str
    meaning: str
    facts: Facts
    candidates: list[Candidate] = field(default_factory=list)
    forward: Site | None = None
    raised: Site | None = None
    in_backward: bool = True
    advice: tuple[str, ...] = ()
    missing: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        facts = self.facts
        return {
            "code": self.code,
            "rule": rules.get(self.code).name,
            "message": self.meaning,
            "error": {
                "text": self.failure.text,
                "log_line": self.failure.number,
                "times": self.failure.times,
                "tensor": facts.type or None,
                "shape": None if facts.shape is None else list(facts.shape),
                "op": facts.op or None,
                "output": facts.output,
                "version": facts.found,
                "expected_version": facts.expected,
                "node": self.failure.forward.node or None if self.failure.forward else None,
            },
            "forward": self.forward and self.forward.to_json(),
            "raised": self.raised and self.raised.to_json(),
            "raised_in": "backward" if self.in_backward else "forward",
            "candidates": [candidate.to_json() for candidate in self.candidates],
            "advice": list(self.advice),
            "missing": self.missing,
        }


@dataclass(slots=True)
class Report:
    """`diagnoses` in the order of the log. `problems`: why there is none, or less than there could be."""

    diagnoses: list[Diagnosis] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        """An error was found, and for each a line."""
        return bool(self.diagnoses) and all(diagnosis.candidates for diagnosis in self.diagnoses)
