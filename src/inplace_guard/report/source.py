"""The lines that a frame shows: from the file, else what the site itself remembers."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Mapping

from inplace_guard.findings import Site

__all__ = ["SourceLines", "span"]

_OPEN = dict(zip("([{", ")]}", strict=True))
_NAME = re.compile(r"\w+")
_ASSIGNMENT = re.compile(r"\s*(?:\*\*|//|>>|<<|[-+*/%@&|^])?=(?!=)")
_STRING = re.compile(r"[rbfuRBFU]{0,2}('''|\"\"\"|'|\")")


class SourceLines:
    """Reads each file once. `texts` gives the text of paths that are not files (standard input)."""

    def __init__(self, texts: Mapping[str, str] | None = None) -> None:
        self._files: dict[str, list[str]] = {path: text.split("\n") for path, text in (texts or {}).items()}

    def line(self, site: Site, number: int | None = None) -> str | None:
        """The line of a site, or another one of its file; None if it cannot be read or has changed since."""
        if site.cell is not None:
            return None
        if site.path not in self._files:
            self._files[site.path] = _read(site.path)
        lines = self._files[site.path]
        own = lines[site.line - 1] if 0 < site.line <= len(lines) else None
        if own is None or (site.source is not None and own.strip() != site.source.strip()):
            return None
        number = site.line if number is None else number
        return lines[number - 1] if 0 < number <= len(lines) else None


def _read(path: str) -> list[str]:
    try:
        with open(path, "rb") as raw:
            encoding, _ = tokenize.detect_encoding(raw.readline)
            raw.seek(0)
            with io.TextIOWrapper(raw, encoding=encoding, errors="replace") as file:
                return file.read().split("\n")
    except (OSError, SyntaxError, LookupError, ValueError):
        return []


def span(text: str, start: int) -> int:
    """Where the expression or assignment that starts at this index ends; at least one further."""
    end = _primary(text, start)
    if end > start and _ASSIGNMENT.match(text, end):
        end = _statement(text, end)
    return max(end, min(start + 1, len(text)))


def _primary(text: str, start: int) -> int:
    """The end of `name.attribute(arguments)[index]…`, or of a bracket."""
    at = start
    while at < len(text):
        if match := _NAME.match(text, at):
            if at > start and text[at - 1] != ".":
                break
            at = match.end()
        elif text[at] in _OPEN:
            at = _bracket(text, at)
        elif text[at] == "." and at > start:
            at += 1
        else:
            break
    return at


def _bracket(text: str, start: int) -> int:
    expected: list[str] = []
    at = start
    while at < len(text):
        if match := _STRING.match(text, at):
            at = _after_string(text, match)
            continue
        character = text[at]
        if character in _OPEN:
            expected.append(_OPEN[character])
        elif character == "#":
            break
        elif expected and character == expected[-1]:
            expected.pop()
            if not expected:
                return at + 1
        at += 1
    return len(text[:at].rstrip())


def _statement(text: str, start: int) -> int:
    at = start
    while at < len(text) and text[at] not in "#;":
        match = _STRING.match(text, at)
        at = _after_string(text, match) if match else _bracket(text, at) if text[at] in _OPEN else at + 1
    return len(text[:at].rstrip())


def _after_string(text: str, start: re.Match[str]) -> int:
    quote = start[1]
    at = start.end()
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text.startswith(quote, at):
            return at + len(quote)
        else:
            at += 1
    return len(text)
