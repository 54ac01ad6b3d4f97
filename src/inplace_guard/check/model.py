"""What checking gives: a report for each file, and the sum of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from inplace_guard.analysis.project import News
from inplace_guard.findings import Finding
from inplace_guard.problems import Problem

__all__ = ["FileReport", "Result"]


@dataclass(slots=True)
class FileReport:
    """One file. `skipped` says why it was not analysed, if it was not; `unfinished` says what a bound kept from being
    analysed to its end; `suppressed` counts the findings that a noqa comment hid; `news` is what was learned of other
    files on the way."""

    path: str
    findings: list[Finding] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    skipped: str = ""
    unfinished: list[str] = field(default_factory=list)
    suppressed: int = 0
    cached: bool = False
    news: News | None = None


@dataclass(slots=True)
class Result:
    """A whole run, files in the order in which they were found; `links` are those that are not to be written."""

    files: list[FileReport] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    links: set[str] = field(default_factory=set)

    @property
    def findings(self) -> list[Finding]:
        return [finding for file in self.files for finding in file.findings]

    @property
    def all_problems(self) -> list[Problem]:
        return [*self.problems, *(problem for file in self.files for problem in file.problems)]

    @property
    def unfinished(self) -> int:
        return sum(len(file.unfinished) for file in self.files)

    @property
    def suppressed(self) -> int:
        return sum(file.suppressed for file in self.files)
