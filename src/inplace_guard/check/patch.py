"""A change of a file as a unified diff, made from the lines that are known to have changed: in time with the file."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence

__all__ = ["Change", "chained", "header", "hunks"]

Change = tuple[range, range]  # lines before and after, numbered from 1
_Block = tuple[int, int, int, int]  # the lines [a, b) have become the lines [c, d), from 0

_AROUND = 3  # lines that stay, on each side
_LINE_END = re.compile(r"\r\n|\r|\n")


def chained(first: Sequence[Change], then: Sequence[Change]) -> list[Change]:
    """Both changes as one: `then` was made in what `first` gave."""
    done: list[Change] = []
    left, right = list(reversed(first)), list(reversed(then))
    grown_left = grown_right = 0  # by which the lines of all changes so far have become more
    while left or right:
        start = min(change.start for change in (*(was[1] for was in left[-1:]), *(now[0] for now in right[-1:])))
        stop = start
        before_by, after_by = grown_left, grown_right
        while True:
            if left and left[-1][1].start <= stop:
                was, now = left.pop()
                stop = max(stop, now.stop)
                grown_left += len(now) - len(was)
            elif right and right[-1][0].start <= stop:
                was, now = right.pop()
                stop = max(stop, was.stop)
                grown_right += len(now) - len(was)
            else:
                break
        done.append((range(start - before_by, stop - grown_left), range(start + after_by, stop + grown_right)))
    return done


def header(path: str) -> str:
    return f"--- {_name(path)}\n+++ {_name(path)}\n"


def hunks(before: str, after: str, changes: Sequence[Change]) -> str:
    """What `patch` and `git apply` read, whose lines end in "\\n" alone: other ends are a part of their lines."""
    old, new = _lines(before), _lines(after)
    blocks = [block for part in _in_such_lines(before, after, changes) for block in _blocks(old, new, *part)]
    parts: list[str] = []
    for group in _groups(blocks):
        (low, _, new_low, _), (_, high, _, new_high) = group[0], group[-1]
        start, end = max(low - _AROUND, 0), min(high + _AROUND, len(old))
        new_start, new_end = new_low - (low - start), new_high + (end - high)
        parts.append(f"@@ -{_hunk(start, end)} +{_hunk(new_start, new_end)} @@\n")
        for a, b, c, d in group:
            parts += (f" {line}" for line in old[start:a])
            parts += (f"-{line}" for line in old[a:b])
            parts += (f"+{line}" for line in new[c:d])
            start = b
        parts += (f" {line}" for line in old[start:end])
    return "".join(parts)


def _lines(text: str) -> list[str]:
    """Lines with their ends; the last one says so if it has none."""
    *lines, last = text.split("\n")
    ended = [f"{line}\n" for line in lines]
    return [*ended, f"{last}\n\\ No newline at end of file\n"] if last else ended


def _in_such_lines(before: str, after: str, changes: Sequence[Change]) -> Iterator[_Block]:
    """The changes in lines that end in "\\n" alone."""
    old, new = _numbers(before), _numbers(after)
    last: _Block | None = None
    for was, now in changes:
        a, c = old[was.start - 1], new[now.start - 1]
        b, d = old[was.stop - 2] + 1, new[now.stop - 2] + 1
        if last is not None and a < last[1]:
            a, c = last[0], last[2]
        elif last is not None:
            yield last
        last = a, b, c, d
    if last is not None:
        yield last


def _numbers(text: str) -> list[int]:
    """For each line in the sense of Python the number of the one that it is in."""
    numbers, at = [0], 0
    for match in _LINE_END.finditer(text):
        at += match[0].endswith("\n")
        numbers.append(at)
    return numbers


def _blocks(old: Sequence[str], new: Sequence[str], a: int, b: int, c: int, d: int) -> Iterator[_Block]:
    """What differs in lines that are few."""
    matcher = difflib.SequenceMatcher(None, old[a:b], new[c:d], autojunk=False)
    for tag, low, high, new_low, new_high in matcher.get_opcodes():
        if tag != "equal":
            yield a + low, a + high, c + new_low, c + new_high


def _groups(blocks: Sequence[_Block]) -> Iterator[list[_Block]]:
    """Blocks whose lines around them touch."""
    group: list[_Block] = []
    for block in blocks:
        if group and block[0] - group[-1][1] > 2 * _AROUND:
            yield group
            group = []
        group.append(block)
    if group:
        yield group


def _hunk(start: int, end: int) -> str:
    """`5,3`: the first line and how many; without lines it is the one before."""
    length = end - start
    if length == 1:
        return f"{start + 1}"
    return f"{start + 1 if length else start},{length}"


def _name(path: str) -> str:
    """As git writes it: quoted, with escapes, where it has characters that end it; after blanks, a tab ends it."""
    if path.startswith(" ") or any(character in _ESCAPES for character in path):
        return f'"{"".join(_ESCAPES.get(character, character) for character in path)}"'
    return f"{path}\t" if " " in path else path


_ESCAPES = {chr(number): f"\\{number:03o}" for number in (*range(32), 127)} | {
    '"': '\\"', "\\": "\\\\", "\a": "\\a", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\v": "\\v", "\f": "\\f", "\r": "\\r"
}  # fmt: skip
