"""The bytes of a file as text with exact positions: what is not edited comes out as it went in."""

from __future__ import annotations

import ast
import bisect
import codecs
import io
import re
import tokenize
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Edit", "SourceText", "Unfixable", "difference", "line_ends"]

_LINE_END = re.compile(r"\r\n|\r|\n")


class Unfixable(Exception):
    """Why a file or a finding cannot be fixed: one line for a person."""


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """The text from `start` up to `end` (offsets) becomes `content`."""

    start: int
    end: int
    content: str


def difference(old: str, new: str, start: int = 0) -> Edit:
    """The smallest edit that makes one text of the other; `start` is where the old one begins."""
    most = min(len(old), len(new))
    first = 0
    while first < most and old[first] == new[first]:
        first += 1
    last = 0
    while last < most - first and old[-1 - last] == new[-1 - last]:
        last += 1
    return Edit(start + first, start + len(old) - last, new[first : len(new) - last])


def line_ends(text: str) -> int:
    return sum(1 for _ in _LINE_END.finditer(text))


class SourceText:
    """`text` is the file as it is, without byte-order mark; `tree` its syntax tree. Raises Unfixable."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
        try:
            self.encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            self.text = data[len(self._mark) :].decode("utf-8" if self._mark else self.encoding)
        except (SyntaxError, LookupError, UnicodeError) as error:
            raise Unfixable(f"the file cannot be decoded: {error}") from None
        if self._mark:
            self.encoding = "utf-8"
        if self._encode(self.text) != data:
            raise Unfixable(f"its encoding {self.encoding} does not give the same bytes back")
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(self.text))]
        self._widths: dict[int, list[int]] = {}
        try:
            self.tree = ast.parse(_LINE_END.sub("\n", self.text))
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise Unfixable(f"the file cannot be parsed: {error}") from None

    def _encode(self, text: str) -> bytes:
        try:
            return self._mark + text.encode(self.encoding)
        except UnicodeError:
            return b""

    def offset(self, line: int, utf8_column: int) -> int:
        """The offset of a position of the syntax tree, whose columns count UTF-8 bytes from 0."""
        start = self._starts[line - 1]
        end = self._starts[line] if line < len(self._starts) else len(self.text)
        text = self.text[start:end]
        if text.isascii():
            return start + utf8_column
        if line not in self._widths:
            widths = [0]
            for character in text:
                widths.append(widths[-1] + len(character.encode("utf-8", "surrogatepass")))
            self._widths[line] = widths
        return start + bisect.bisect_left(self._widths[line], utf8_column)

    def span(self, node: ast.stmt | ast.expr) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset)

    def segment(self, node: ast.stmt | ast.expr) -> str:
        start, end = self.span(node)
        return self.text[start:end]

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from 1; the column counts characters."""
        line = bisect.bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def indentation(self, offset: int) -> str | None:
        """What stands between the start of the line and the offset, if it is nothing but blanks."""
        start = self._starts[self.place(offset)[0] - 1]
        continued = self.text[:start].rstrip("\r\n").endswith("\\") and self.text[start - 1 : start] in ("\r", "\n")
        before = self.text[start:offset]
        return before if not before.strip(" \t\f") and not continued else None

    def line_end(self, offset: int) -> str:
        """How the line of the offset ends; for a last line without one, how the first line does."""
        match = _LINE_END.search(self.text, offset) or _LINE_END.search(self.text)
        return match[0] if match else "\n"

    def changes(self, edits: Iterable[Edit]) -> list[tuple[range, range]]:
        """The lines that edits touch, and what these have become."""
        found: list[tuple[range, range]] = []
        shift = 0
        for edit in sorted(set(edits)):
            first, last = self.place(edit.start)[0], self.place(edit.end)[0] + 1
            grown = line_ends(edit.content) - line_ends(self.text[edit.start : edit.end])
            before, after = range(first, last), range(first + shift, last + shift + grown)
            shift += grown
            if found and found[-1][0].stop > first:
                before, after = range(found[-1][0].start, last), range(found[-1][1].start, after.stop)
                found.pop()
            found.append((before, after))
        return found

    def apply(self, edits: Iterable[Edit]) -> bytes:
        """The bytes with these edits made, which must not overlap. Raises Unfixable."""
        parts: list[str] = []
        at = 0
        for edit in sorted(set(edits)):
            if edit.start < at:
                raise Unfixable("two changes overlap")
            parts += (self.text[at : edit.start], edit.content)
            at = edit.end
        changed = self._encode("".join(parts) + self.text[at:])
        if not changed and self.text:
            raise Unfixable(f"the change cannot be written in {self.encoding}")
        return changed
