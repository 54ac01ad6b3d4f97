"""One file: bytes -> report. Nothing that a file contains raises here."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Collection

from inplace_guard.analysis import analyze, why_not
from inplace_guard.analysis.project import Project
from inplace_guard.check import noqa, notebook, reading
from inplace_guard.check.model import FileReport
from inplace_guard.problems import Problem, internal_error

__all__ = ["check_bytes", "skipped"]


def skipped(data: bytes, follows_imports: bool) -> str:
    """Why a file need not be read any further; empty if it must be."""
    if follows_imports or b"torch" in data or data.startswith(reading.UTF16_MARKS):  # in which the word looks otherwise
        return ""
    return why_not("", "", None)


def check_bytes(data: bytes, path: str, codes: Collection[str], project: Project | None = None) -> FileReport:
    """Checks a text. With a `project`, the files that it imports are followed."""
    report = FileReport(path, skipped=skipped(data, project is not None))
    if report.skipped:
        return report
    try:
        if path.lower().endswith(".ipynb"):
            _check_notebook(data, report, codes, project)
        else:
            _check_source(_decoded(data, path, project), report, codes, project)
    except reading.Unreadable as error:
        report.problems.append(Problem(path, str(error), error.line, error.column))
    except Exception as error:  # a fault of ours: say so in one line and go on with the other files
        message = f"{internal_error(error)}; please report it with this file"
        report.problems.append(Problem(path, message, internal=True))
    if project is not None:
        report.news = project.news()
    return report


def _decoded(data: bytes, path: str, project: Project | None) -> str:
    """The text; of a file that nobody needs to read, any that says so."""
    try:
        return reading.decode(data)
    except reading.Unreadable:
        text = data.decode("utf-8", "replace")
        if data.startswith(reading.UTF16_MARKS) or not why_not(text, path, project):
            raise
        return text


def _check_source(source: str, report: FileReport, codes: Collection[str], project: Project | None) -> None:
    if reason := why_not(source, report.path, project):
        report.skipped = reason
        return
    if noqa.is_suppressed_file(source):
        report.skipped = "has a line '# flake8: noqa': not analysed"
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


def _check_notebook(data: bytes, report: FileReport, codes: Collection[str], project: Project | None) -> None:
    try:
        book = notebook.read(data)
    except reading.Unreadable:
        report.skipped = skipped(data, False)
        if report.skipped:
            return
        raise
    if book.language != "python":
        report.skipped = f"is a notebook in {book.language}: not analysed"
        return
    _check_source(book.source, report, codes, project)
    if not report.skipped or b"torch" in data:
        for cell, error in book.failures:
            report.problems.append(Problem(report.path, str(error), error.line, error.column, cell))
    report.findings = [book.locate(finding, report.path) for finding in report.findings]
