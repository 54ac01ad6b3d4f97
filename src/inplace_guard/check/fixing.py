"""Fixing files: what `inplace_guard.fixes` proposes is checked again before it is believed."""

from __future__ import annotations

import ast
import difflib
import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from inplace_guard.analysis.project import Project
from inplace_guard.analysis.seen import Seen, span
from inplace_guard.analysis.seen import seen as _seen
from inplace_guard.check import patch, reading
from inplace_guard.check.file import check_bytes
from inplace_guard.check.model import FileReport, Result
from inplace_guard.check.run import drop_ignored, refuse_link
from inplace_guard.check.writing import Unwritable, replace_file
from inplace_guard.config import Settings
from inplace_guard.findings import Finding
from inplace_guard.problems import Problem

if TYPE_CHECKING:
    from inplace_guard.fixes import Checking, FixResult, Trial

__all__ = ["FixedFile", "describe_fixes", "fix_bytes", "fix_result", "unified_diff", "write_fixed"]

_MOST_ROUNDS = 10  # a fix may bring to light what the one before it hid
_MOST_TRIED = 5_000_000  # bytes of one file's texts that are analysed to try fixes
_MOST_HALVED = 20_000_000  # bytes of them that may turn out worse while it is found which fixes do harm


@dataclass(slots=True)
class FixedFile:
    """One file: `report` is what checking finds in `after`, with the reasons why that was not fixed; `original` is
    what it finds in `before`; `changes` are lines before and after: all others are as they were."""

    path: str
    before: bytes
    after: bytes
    original: FileReport
    report: FileReport
    fixed: list[Finding] = field(default_factory=list)
    changes: Sequence[patch.Change] = ()

    @property
    def changed(self) -> bool:
        return self.before != self.after


def describe_fixes(report: FileReport, data: bytes, settings: Settings, project: Project | None) -> None:
    """Fills in the `fix` of all findings of a file, whose text is `data`."""
    if report.findings:
        checker = _Checker(report.path, settings, project)
        report.findings = _described(data, report, checker)


def fix_result(result: Result, settings: Settings, *, unsafe: bool, stdin: bytes | None = None) -> list[FixedFile]:
    """Fixes what was found, in memory; the reports in `result` become those of the fixed texts.

    `stdin` is the text of the only file if that is not on disk. Returns the files that would change.
    """
    fixed: list[FixedFile] = []
    for number, report in enumerate(result.files):
        if not report.findings:
            continue
        if report.path in result.links:
            refuse_link(report)
            continue
        try:
            data = Path(report.path).read_bytes() if stdin is None else stdin
        except OSError as error:
            report.problems.append(Problem(report.path, f"cannot be read: {error.strerror or error}"))
            continue
        file = fix_bytes(data, report.path, settings, unsafe=unsafe)
        result.files[number] = file.report
        if file.changed:
            fixed.append(file)
    return fixed


def fix_bytes(data: bytes, path: str, settings: Settings, *, unsafe: bool) -> FixedFile:
    """Fixes one text, round after round until nothing changes. A fault of ours leaves it as it is, and is told."""
    checker = _Checker(path, settings, Project(settings.roots) if settings.cross_file else None)
    report = checker.report(data)
    file = FixedFile(path, data, data, report, report)
    try:
        if not _is_notebook(path):
            _rounds(file, checker, unsafe)
            if _raises(file.report) and not _raises(report):  # wrong numbers may be what is wanted, an error is not
                file = FixedFile(path, data, data, report, report)
        found = replace(file.report, findings=list(file.report.findings))
        file.report.findings = _described(file.after, found, checker)
        if checker.gave_up:
            message = "some fixes do harm, and the file is too long to find out which; fix it again to go on"
            file.report.problems.append(Problem(path, message))
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        message = f"internal error while fixing ({reason}); please report it with this file"
        report.problems.append(Problem(path, message, internal=True))
        return FixedFile(path, data, data, report, report)
    return file


def write_fixed(files: Sequence[FixedFile], result: Result) -> list[FixedFile]:
    """Writes the files in place, each in one step. Returns those that were written.

    A file that cannot be written stays as it is, and `result` gets its old report back, with the problem.
    """
    written: list[FixedFile] = []
    for file in files:
        try:
            replace_file(file.path, file.before, file.after)
        except Unwritable as error:
            file.original.problems.append(Problem(file.path, f"not fixed: {error}"))
            result.files = [file.original if report is file.report else report for report in result.files]
        else:
            written.append(file)
    return written


def unified_diff(file: FixedFile) -> tuple[str, bytes]:
    """The change as a unified diff: for people, and as `patch` and `git apply` read it, in the encoding of the file."""
    from inplace_guard.fixes.text import SourceText

    encoding = SourceText(file.before).encoding
    before, after = (data.decode(encoding) for data in (file.before, file.after))
    header, hunks = patch.header(file.path.replace(os.sep, "/")), patch.hunks(before, after, file.changes)
    return header + hunks, os.fsencode(header) + hunks.encode(encoding)


def _rounds(file: FixedFile, checker: _Checker, unsafe: bool) -> None:
    for _ in range(_MOST_ROUNDS):
        text, fixed, changes = _fixed_together(file, checker, unsafe)
        if not fixed:
            return
        file.after, file.report = text, checker.report(text)
        file.fixed += fixed
        file.changes = patch.chained(file.changes, changes)
        if checker.gave_up:
            return


def _fixed_together(
    file: FixedFile, checker: _Checker, unsafe: bool
) -> tuple[bytes, list[Finding], Sequence[patch.Change]]:
    """The text with as many findings fixed as can be at once, and its lines that changed: fixes that do harm are found
    by halving."""
    from inplace_guard.fixes import fix_source

    # What is found by trying is never safe.
    checking = checker.checking(file.after, file.report) if unsafe else None
    text, fixed = file.after, list[Finding]()
    changes: Sequence[patch.Change] = ()
    parts = [file.report.findings]
    while parts:
        part = parts.pop()
        result = fix_source(file.after, [*fixed, *part], unsafe=unsafe, checking=checking)
        if len(result.fixed) == len(fixed) or result.source in (text, file.after):
            continue
        if checker.is_better(file.after, file.report, result):
            text, fixed, changes = result.source, list(result.fixed), result.changes
            continue
        checker.halved += len(result.source)
        if checker.halved > _MOST_HALVED:
            checker.gave_up = True
            break
        part = [finding for finding in result.fixed if finding not in fixed]
        if len(part) > 1:
            parts += (part[len(part) // 2 :], part[: len(part) // 2])
    return text, fixed, changes


class _Checker:
    """Checks changed texts of one file, each once."""

    def __init__(self, path: str, settings: Settings, project: Project | None) -> None:
        self._path, self._settings, self._project = path, settings, project
        self._reports: dict[bytes, FileReport] = {}
        self._tried = 0
        self.halved = 0  # bytes of texts with fixes that did harm
        self.gave_up = False  # on finding out which those are

    def report(self, data: bytes) -> FileReport:
        if data not in self._reports:
            self._tried += len(data)
            self._reports[data] = _check(data, self._path, self._settings, self._project)
        return self._reports[data]

    def is_better(self, before: bytes, old: FileReport, fixed: FixResult) -> bool:
        """Whether the changed lines are free of findings, and no others have come up."""
        new = self.report(fixed.source)
        if new.problems or len(new.findings) > len(old.findings):
            return False
        old_lines, new_lines = before.splitlines(), fixed.source.splitlines()
        changed = set[int]()
        for was, now in fixed.changes:
            changed |= _changed(_lines(was, old_lines), _lines(now, new_lines), now.start)
        return not any(finding.write.line in changed for finding in new.findings)

    def checking(self, before: bytes, old: FileReport) -> Checking:
        from inplace_guard.fixes import Checking

        lines = before.splitlines()

        def fewer(after: bytes, trials: Sequence[Trial]) -> list[int | None] | None:
            new = self.report(after)
            if new.problems or _has_more_elsewhere(old.findings, new.findings, trials):
                return [None] if len(trials) == 1 else None
            new_lines = after.splitlines()
            return [_fewer(trial, old.findings, new.findings, lines, new_lines) for trial in trials]

        @cache
        def seen() -> Seen:
            source = reading.decode(before)
            return _seen(ast.parse(source), source)

        def spent() -> bool:
            return self._tried > _MOST_TRIED

        return Checking(fewer, spent, lambda node: seen().get(span(node), frozenset()))


def _has_more_elsewhere(old: Sequence[Finding], new: Sequence[Finding], trials: Sequence[Trial]) -> bool:
    """Whether there are findings outside of the lines of the trials that were not there before."""

    def elsewhere(findings: Sequence[Finding], places: Sequence[range]) -> Counter[tuple[str | None, ...]]:
        inside = {line for lines in places for line in lines}
        return Counter(_trait(finding) for finding in findings if finding.write.line not in inside)

    if len(trials) == 1:
        return len(new) > len(old)
    return bool(elsewhere(new, [trial.after for trial in trials]) - elsewhere(old, [trial.before for trial in trials]))


def _fewer(
    trial: Trial, old: Sequence[Finding], new: Sequence[Finding], before: Sequence[bytes], after: Sequence[bytes]
) -> int | None:
    """What one trial gives, by the findings and the text of its own lines."""
    old, new = _within(trial.before, old), _within(trial.after, new)
    was, now = _lines(trial.before, before), _lines(trial.after, after)
    changed = _changed(was, now, trial.after.start)
    left = [other for other in new if _write(other) == _write(trial.finding)]
    if len(new) > len(old) or any(finding.write.line in changed for finding in new):
        return None
    if any(other.saved is not None and other.saved.line in changed for other in left):
        return None
    alike = [other for other in left if _trait(other) == _trait(trial.finding)]
    stays = _line_after(was, now, trial.finding.write.line - trial.before.start)
    if stays is not None:  # the same words on another line are another finding, which this one had hidden
        alike = [other for other in alike if other.write.line == trial.after.start + stays]
    if len(alike) >= [_trait(other) for other in old].count(_trait(trial.finding)) or (stays is not None and alike):
        return None
    return len(old) - len(new)


def _line_after(before: Sequence[bytes], after: Sequence[bytes], line: int) -> int | None:
    """Where a line of `before`, counted from 0, is in `after`; None if it was changed."""
    start, end = _alike_around(before, after)
    if line < start:
        return line
    if line >= len(before) - end:
        return line + len(after) - len(before)
    core = before[start : len(before) - end], after[start : len(after) - end]
    blocks = difflib.SequenceMatcher(None, *core, autojunk=False).get_matching_blocks()
    return next((start + b + line - start - a for a, b, size in blocks if a <= line - start < a + size), None)


def _within(lines: range, findings: Sequence[Finding]) -> Sequence[Finding]:
    """`findings` are in the order of their lines."""
    start, end = (
        bisect_left(findings, line, key=lambda finding: finding.write.line) for line in (lines[0], lines[-1] + 1)
    )
    return findings[start:end]


def _lines(numbers: range, text: Sequence[bytes]) -> Sequence[bytes]:
    return text[numbers.start - 1 : numbers.stop - 1]


def _raises(report: FileReport) -> bool:
    return any(finding.code.startswith("IPG1") for finding in report.findings)


def _changed(before: Sequence[bytes], after: Sequence[bytes], first: int = 1) -> set[int]:
    """The numbers of the lines of `after` that are new; the first of them has the number `first`."""
    start, end = _alike_around(before, after)
    before, after = before[start : len(before) - end], after[start : len(after) - end]
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    return {
        first + start + line
        for tag, _, _, low, high in matcher.get_opcodes()
        if tag != "equal"
        for line in range(low, high)
    }


def _alike_around(before: Sequence[bytes], after: Sequence[bytes]) -> tuple[int, int]:
    """How many lines are the same at the start, and how many at the end."""
    start, most = 0, min(len(before), len(after))
    while start < most and before[start] == after[start]:
        start += 1
    end = 0
    while end < most - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return start, end


def _write(finding: Finding) -> tuple[str | None, ...]:
    return finding.code, finding.write.op, finding.write.source


def _trait(finding: Finding) -> tuple[str | None, ...]:
    """What a finding says, on whatever line it stands."""
    return *_write(finding), finding.saved.source if finding.saved is not None else None


def _key(finding: Finding) -> tuple[str, int, int]:
    return finding.code, finding.write.line, finding.write.column


def _check(data: bytes, path: str, settings: Settings, project: Project | None) -> FileReport:
    report = check_bytes(data, path, settings.codes, project)
    drop_ignored(report, settings)
    return report


def _is_notebook(path: str) -> bool:
    return path.lower().endswith(".ipynb")


def _described(data: bytes, report: FileReport, checker: _Checker) -> list[Finding]:
    if _is_notebook(report.path):
        fix = {"applicability": "none", "reason": "notebooks are not rewritten"}
        return [replace(finding, fix=fix) for finding in report.findings]
    from inplace_guard.fixes import annotate

    try:
        return annotate(data, report.findings, checking=checker.checking(data, report))
    except Exception as error:  # a fault of ours takes nothing from the finding
        reason = " ".join(f"internal error ({type(error).__name__}: {error})".split())
        return [replace(finding, fix={"applicability": "none", "reason": reason}) for finding in report.findings]
