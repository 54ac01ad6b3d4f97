"""One line or one document for programs: concise, JSON, GitHub annotations, GitLab code quality."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from inplace_guard.findings import SCHEMA, Finding, Site
from inplace_guard.problems import Problem, printable
from inplace_guard.report.levels import level_of

__all__ = ["concise", "dumps", "fingerprints", "github", "gitlab", "to_json", "uri"]


def concise(finding: Finding) -> str:
    """`path:line:col: IPGnnn message`, as flake8 prints it; in a notebook the cell stands after the path."""
    write = finding.write
    cell = f":cell {write.cell}" if write.cell is not None else ""
    return f"{printable(write.path)}{cell}:{write.line}:{max(write.column, 1)}: {finding.code} {finding.message}"


def to_json(findings: Sequence[Finding], problems: Sequence[Problem] = ()) -> str:
    document = {
        "schema": SCHEMA,
        "findings": [finding.to_json() for finding in findings],
        "problems": [problem.to_json() for problem in problems],
    }
    return dumps(document)


def github(findings: Iterable[Finding], problems: Iterable[Problem] = ()) -> Iterator[str]:
    """Workflow commands, which GitHub Actions shows at the lines of a pull request."""
    commands = {"error": "error", "warning": "warning", "note": "notice"}
    for finding in findings:
        place = _github_place(finding.write)
        lines = [finding.message, *(f"{what}: {_github_site(site)}" for what, site in _others(finding))]
        text = _escape("\n".join([*lines, *finding.details]))
        yield f"::{commands[level_of(finding)]} {place},title={_property(f'{finding.code} {finding.rule}')}::{text}"
    for problem in problems:
        place = f"file={_property(uri(problem.path))}" + (f",line={problem.line}" if problem.line else "")
        yield f"::error {place},title=inplace-guard::{_escape(problem.message)}"


def gitlab(findings: Sequence[Finding], problems: Sequence[Problem] = ()) -> str:
    """A Code Quality report, which GitLab shows in a merge request."""
    severities = {"error": "major", "warning": "minor", "note": "info"}
    entries = [
        {
            "description": finding.message,
            "check_name": finding.code,
            "fingerprint": fingerprint,
            "severity": severities[level_of(finding)],
            "location": {"path": _in_project(finding.write.path), "lines": {"begin": _whole_file_line(finding.write)}},
        }
        for finding, fingerprint in zip(findings, fingerprints(findings), strict=True)
    ]
    entries += [
        {
            "description": problem.message,
            "check_name": "inplace-guard",
            "fingerprint": hashlib.sha256(str(problem).encode("utf-8", "replace")).hexdigest(),
            "severity": "blocker",
            "location": {"path": _in_project(problem.path), "lines": {"begin": max(problem.line, 1)}},
        }
        for problem in problems
    ]
    return dumps(entries)


def fingerprints(findings: Iterable[Finding]) -> Iterator[str]:
    """One for each finding, different from all others, which stays when lines above are added or removed."""
    seen: Counter[str] = Counter()
    for finding in findings:
        write = finding.write
        text = "\0".join((uri(write.path), finding.code, write.source or finding.message))
        seen[text] += 1
        yield hashlib.sha256(f"{text}\0{seen[text]}".encode("utf-8", "replace")).hexdigest()


def uri(path: str) -> str:
    """The path as these formats want it: forward slashes, no `./` in front."""
    return path.replace(os.sep, "/").removeprefix("./")


def dumps(document: object) -> str:
    """JSON that is ASCII alone and that every parser takes. Halves of characters, such as Python has for bytes in names
    of files that are no text, are none for others: they become the replacement character."""
    text = json.dumps(document, indent=2, ensure_ascii=False)
    return _BEYOND_ASCII.sub(lambda found: json.dumps(_HALVES.sub("\N{REPLACEMENT CHARACTER}", found[0]))[1:-1], text)


_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
_HALVES = re.compile("[\ud800-\udfff]")


def _others(finding: Finding) -> Iterator[tuple[str, Site]]:
    if finding.saved is not None:
        yield "saved", finding.saved
    if finding.needed is not None:
        yield "needed", finding.needed


def _in_project(path: str) -> str:
    """Relative to the folder that GitLab has checked out, or to the current one, if the file is there."""
    full = os.path.abspath(path)
    for folder in (os.environ.get("CI_PROJECT_DIR"), os.getcwd()):
        if folder and full.startswith(start := os.path.join(os.path.abspath(folder), "")):
            return uri(full.removeprefix(start))
    return uri(path)


def _whole_file_line(site: Site) -> int:
    """Line 1 stands for a notebook: lines of a cell are not lines of the file."""
    return site.line if site.cell is None else 1


def _github_place(site: Site) -> str:
    place = f"file={_property(uri(site.path))}"
    return place + (f",line={site.line},col={max(site.column, 1)}" if site.cell is None else "")


def _github_site(site: Site) -> str:
    cell = f":cell {site.cell}" if site.cell is not None else ""
    return f"{uri(site.path)}{cell}:{site.line}{f'  {site.source}' if site.source else ''}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
