"""Code frames for people: the three sites of a finding in their source."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len
from rich.text import Text

from inplace_guard import rules
from inplace_guard.findings import Finding, Site
from inplace_guard.report.levels import level_of
from inplace_guard.report.source import SourceLines, span

__all__ = ["clean", "fixable", "frame", "summary"]

_TAB = "    "
_WIDEST = 160
_FILLED_GAP = 3

_LEVELS = {"error": "bold red", "warning": "bold yellow", "note": "bold cyan"}
_STYLES = {"write": "bold red", "saved": "bold blue", "needed": "bold magenta"}


@dataclass(frozen=True, slots=True)
class _Mark:
    """One underline: what a site is to the finding."""

    role: str
    site: Site
    label: str


def frame(finding: Finding, sources: SourceLines | None = None) -> list[Text]:
    """The finding as lines without line ends; `.plain` is the text without colour."""
    sources = sources or SourceLines()
    marks = _marks(finding)
    width = max(len(str(mark.site.line)) for mark in marks)
    lines = [_head(finding)]
    for index, group in enumerate(_by_place(marks)):
        lines += _place(group, sources, width, arrow=":::" if index else "-->")
    lines += [_aside(width, "note", clean(detail)) for detail in finding.details]
    if finding.fix is not None:
        lines.append(_aside(width, "fix", clean(_fix(finding.fix))))
    if finding.test:
        lines.append(_aside(width, "test", finding.test))
    if finding.code in rules.CATALOGUE:
        lines.append(_aside(width, "help", f"inplace-guard explain {finding.code}"))
    return lines


def _head(finding: Finding) -> Text:
    level = level_of(finding)
    head = Text(f"{level}[{finding.code}]{' (likely)' if finding.certainty == 'likely' else ''}", _LEVELS[level])
    head.append(f": {clean(finding.message)}", "bold")
    return head


def _fix(fix: Mapping[str, Any]) -> str:
    if fix["applicability"] == "none":
        return f"none is made: {fix['reason']}"
    how = "--fix" if fix["applicability"] == "safe" else f"--unsafe-fixes: {fix['reason']}"
    return f"{fix['description']} ({how})"


def _marks(finding: Finding) -> list[_Mark]:
    marks = [_Mark("write", finding.write, _label("written here", finding.write))]
    if finding.saved is not None:
        marks.append(_Mark("saved", finding.saved, _label("saved here", finding.saved)))
    if finding.needed is not None:
        # a static finding may end where the function hands its result on, and not at a backward
        leaves = finding.needed.op in ("return", "yield")
        label = "handed on here: a later backward needs it" if leaves else _label("needed here", finding.needed)
        marks.append(_Mark("needed", finding.needed, label))
    return marks


def _label(what: str, site: Site) -> str:
    by = f" by {site.op}" if site.op else ""
    return clean(f"{what}{by}{f' in {site.module}' if site.module else ''}")


def _by_place(marks: Sequence[_Mark]) -> list[list[_Mark]]:
    """Marks that share a file, or a cell of a notebook; the write leads the first group."""
    places: dict[tuple[str, int | None], list[_Mark]] = {}
    for mark in marks:
        places.setdefault((mark.site.path, mark.site.cell), []).append(mark)
    return list(places.values())


def _place(marks: Sequence[_Mark], sources: SourceLines, width: int, arrow: str) -> list[Text]:
    first = marks[0].site
    cell = f":cell {first.cell}" if first.cell is not None else ""
    column = f":{first.column}" if first.column else ""
    title = Text(f"{' ' * width}{arrow} ", "bold blue")
    title.append(f"{clean(_shown_path(first.path))}{cell}:{first.line}{column}", "none")
    lines = [title, _gutter(width)]
    previous: int | None = None
    by_line: dict[int, list[_Mark]] = {}
    for mark in sorted(marks, key=lambda mark: (mark.site.line, mark.site.column)):
        by_line.setdefault(mark.site.line, []).append(mark)
    for number, here in by_line.items():
        if previous is not None:
            lines += _between(here[0].site, previous, number, sources, width)
        lines += _marked_line(number, here, sources, width)
        previous = number
    lines.append(_gutter(width))
    return lines


def _shown_path(path: str) -> str:
    """Relative where it lies below the current folder."""
    if os.path.isabs(path):
        with contextlib.suppress(OSError, ValueError):  # no current folder, or another drive
            relative = os.path.relpath(path)
            if not relative.startswith(os.pardir):
                return relative
    return path


def _between(site: Site, previous: int, number: int, sources: SourceLines, width: int) -> list[Text]:
    gap = range(previous + 1, number)
    texts = [sources.line(site, between) for between in gap]
    if len(gap) > _FILLED_GAP or None in texts:
        return [Text("...", "bold blue")] if gap else []
    return [_code(width, between, _window(text or "", 0)[0]) for between, text in zip(gap, texts, strict=True)]


def _marked_line(number: int, marks: Sequence[_Mark], sources: SourceLines, width: int) -> list[Text]:
    text = sources.line(marks[0].site)
    known = text is not None
    if text is None:
        text = next((mark.site.source for mark in marks if mark.site.source), None)
    if text is None:
        return [_code(width, number, ""), *(_note(width, 0, 0, mark) for mark in marks)]
    lines = []
    for index, mark in enumerate(marks):
        start = mark.site.column - 1 if known and mark.site.column else len(text) - len(text.lstrip())
        start = min(max(start, 0), len(text))
        end = span(text, start) if mark.site.column and known else len(text.rstrip())
        shown, cut = _window(text, start)
        if index == 0:
            lines.append(_code(width, number, shown))
            first_cut = cut
        left = _cells(text[first_cut:start]) + (1 if first_cut else 0)
        lines.append(_note(width, left, max(_cells(text[start:end]), 1), mark))
    return lines


def _window(text: str, start: int) -> tuple[str, int]:
    """The part of a very long line that shows this index, and how many characters were cut in front of it."""
    text = text.rstrip()
    if len(text) <= _WIDEST:
        return clean(text), 0
    cut = max(start - _WIDEST // 2, 0)
    part = clean(text[cut : cut + _WIDEST])
    return ("…" if cut else "") + part + ("…" if cut + _WIDEST < len(text) else ""), cut


def _cells(text: str) -> int:
    return cell_len(clean(text))


def clean(text: str) -> str:
    """Tabs as spaces; no character that a terminal would obey."""
    return "".join(_TAB if c == "\t" else c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _gutter(width: int) -> Text:
    return Text(" " * width + " |", "bold blue")


def _code(width: int, number: int, text: str) -> Text:
    line = Text(f"{number:>{width}} |", "bold blue")
    if text:
        line.append(" " + text, "none")
    return line


def _note(width: int, left: int, length: int, mark: _Mark) -> Text:
    line = _gutter(width)
    underline = ("^" if mark.role == "write" else "-") * min(length, _WIDEST)
    line.append(f" {' ' * left}{underline}{' ' if underline else ''}{mark.label}", _STYLES[mark.role])
    return line


def _aside(width: int, kind: str, text: str) -> Text:
    line = Text(" " * width + " = ", "bold blue")
    line.append(f"{kind}: ", "bold")
    line.append(text, "none")
    return line


def summary(findings: Iterable[Finding], files: int, skipped: int, unchecked: int) -> str:
    """The closing line of a run: `skipped` files need not be checked, `unchecked` ones could not be."""
    findings = list(findings)
    if findings:
        likely = sum(finding.certainty == "likely" for finding in findings)
        places = len({finding.write.path for finding in findings})
        text = f"{_count(len(findings), 'finding')} ({len(findings) - likely} certain, {likely} likely)"
        text += f" in {_count(places, 'file')}; {_count(files, 'file')} checked"
    else:
        text = f"No findings; {_count(files, 'file')} checked"
    return (
        text + (f", {skipped} skipped" if skipped else "") + (f", {unchecked} could not be" if unchecked else "") + "."
    )


def fixable(findings: Iterable[Finding]) -> str:
    """How many of the findings `--fix` can fix, with and without `--unsafe-fixes`; empty if none."""
    how = Counter(finding.fix["applicability"] for finding in findings if finding.fix is not None)
    safe, unsafe = how["safe"], how["unsafe"]
    more = f"{unsafe}{' more' if safe else ''} with --fix --unsafe-fixes" if unsafe else ""
    if not safe:
        return f"Fixable: {more}." if more else ""
    return f"Fixable: {safe} with --fix{', ' if more else ''}{more}."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
