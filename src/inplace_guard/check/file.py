"""One file: bytes -> report. Nothing that a file contains raises here."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Collection
from pathlib import Path

from inplace_guard.analysis import analyze
from inplace_guard.analysis.project import Project
from inplace_guard.check import noqa, notebook, reading
from inplace_guard.check.model import FileReport
from inplace_guard.problems import Problem, internal_error

__all__ = ["check_bytes", "check_file"]


def check_file(path: Path, shown: str, codes: Collection[str]) -> FileReport:
    """Checks the file at `path`, which reports call `shown`."""
    try:
        data = path.read_bytes()
    except OSError as error:
        return FileReport(shown, problems=[Problem(shown, f"cannot be read: {error.strerror or error}")])
    return check_bytes(data, shown, codes)


def check_bytes(data: bytes, path: str, codes: Collection[str], project: Project | None = None) -> FileReport:
    """Checks a text. With a `project`, the files that it imports are followed."""
    report = FileReport(path)
    if b"torch" not in data and not data.startswith(reading.UTF16_MARKS):
        report.notes.append("does not mention torch: not analysed")
        return report
    try:
        if path.lower().endswith(".ipynb"):
            _check_notebook(data, report, codes, project)
        else:
            _check_source(reading.decode(data), report, codes, project)
    except reading.Unreadable as error:
        report.problems.append(Problem(path, str(error), error.line, error.column))
    except Exception as error:  # a fault of ours: say so in one line and go on with the other files
        message = f"{internal_error(error)}; please report it with this file"
        report.problems.append(Problem(path, message, internal=True))
    return report


def _check_source(source: str, report: FileReport, codes: Collection[str], project: Project | None) -> None:
    if noqa.is_suppressed_file(source):
        report.notes.append("has a line '# flake8: noqa': not analysed")
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes and the like are not our business
            tree = (project and project.tree(source, report.path)) or ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise reading.parse_error(error) from None
    analysis = analyze(source, report.path, tree=tree, codes=codes, project=project)
    report.findings, hidden = noqa.split(source, analysis.findings)
    report.suppressed = len(hidden)
    report.unfinished.extend(analysis.notes)
    report.consulted = analysis.consulted


def _check_notebook(data: bytes, report: FileReport, codes: Collection[str], project: Project | None) -> None:
    book = notebook.read(data)
    if book.language != "python":
        report.notes.append(f"is a notebook in {book.language}: not analysed")
        return
    for cell, error in book.failures:
        report.problems.append(Problem(report.path, str(error), error.line, error.column, cell))
    _check_source(book.source, report, codes, project)
    report.findings = [book.locate(finding, report.path) for finding in report.findings]
