"""The lines of a log by who wrote them: several processes often write in turn, with something in front of each line.

What stands in front is learned from the lines of tracebacks, whose beginning is known: times and counters are masked,
other numbers tell the processes apart.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from inplace_guard.diagnose.frames import FORWARD, STARTS, Frame, anchor, incomplete, of_pytest, with_source

__all__ = ["Line", "streams"]

_CLOCK = r"\d\d?:\d\d(?::\d\d)?(?:[.,:]\d+)?(?: ?UTC|Z|[+-]\d\d:?\d\d)?"
_TIME = rf"\b\d{{4}}[-/]\d\d[-/]\d\d(?:[T ,_]+{_CLOCK})?|\b\d\d?:\d\d:\d\d(?:[.,]\d+)?|\b1\d{{9}}(?:\.\d+)?\b"
_TOKEN = re.compile(rf"(?P<time>{_TIME})|(?P<number>\d+(?:\.\d+)?)|(?P<space>\s+)|(?P<other>[^\d\s]+)")
_TAIL = re.compile(r"[\s│┃|╭╰─>+]*$")
_BOXED = ("│", "┃", "╮", "╯")
_AFTER = 400  # lines after a part of a traceback that may belong to it
_BEFORE = 4  # lines before one, if a broken line is one of it
_MOST_PREFIXES = 40


@dataclass(frozen=True, slots=True)
class Line:
    """`text` without what stood in front; `indent` is how far it was indented, `width` how long it was with that."""

    number: int
    text: str
    indent: int = 0
    width: int = 0
    frame: Frame | None = None


class _Prefix:
    """One form of what stands in front. A number that is another one in most lines counts something."""

    def __init__(self, examples: Sequence[str]) -> None:
        rows = [[m["number"] for m in _TOKEN.finditer(one) if m["number"]] for one in examples]
        counts = [len(set(column)) > max(2, 0.4 * len(rows)) for column in zip(*rows, strict=False)]
        pattern, index = r"\s*", 0
        for token in _TOKEN.finditer(examples[0].lstrip()):
            if token["time"]:
                pattern += f"(?:{_TIME})"
            elif token["number"]:
                number = r"\d+(?:\.\d+)?"
                pattern += number if counts[index] else f"({number})"
                index += 1
            else:
                pattern += r"\s+" if token["space"] else re.escape(token[0])
        self.pattern = re.compile(pattern)
        self.masked = _masked(examples[0])


def streams(records: Iterable[tuple[int, str]]) -> dict[str, list[Line]]:
    """The lines near tracebacks and errors, by their stream; "" has those without anything in front."""
    lines = list(records)
    anchors = {i: there for i, (_, line) in enumerate(lines) if line and (there := anchor(line)) is not None}
    fronts = {i: _TAIL.sub("", lines[i][1][:start]) for i, (start, _) in anchors.items()}
    prefixes = _learn(fronts.values())
    found: dict[str, list[Line]] = {}
    last = -_AFTER
    pending: list[Line] = []  # of tracebacks, with something in front that stands there once, such as other output
    for i, (number, line) in enumerate(lines):
        if i in anchors:
            last = i
        elif i - last > _AFTER and not any(j in anchors for j in range(i + 1, i + 1 + _BEFORE)):
            continue
        key, end = _front(line, prefixes)
        rest = line[end:].expandtabs()
        width = 0 if line.endswith(_BOXED) else len(line) - end
        pending.append(Line(number, line[end:], len(rest) - len(rest.lstrip(" │┃|>")), width))
        if i not in anchors or end >= len(fronts[i].rstrip()) or not _masked(fronts[i]):
            found.setdefault(key, []).extend(pending)
            pending.clear()
    found.setdefault("", []).extend(pending)
    return {key: list(_framed(_joined(stream))) for key, stream in found.items()}


def _masked(front: str) -> str:
    marks = {"time": "T", "number": "0", "space": " "}
    return "".join(marks.get(m.lastgroup or "", m[0]) for m in _TOKEN.finditer(front.strip()))


def _learn(fronts: Iterable[str]) -> list[_Prefix]:
    examples: dict[str, list[str]] = {}
    for front in fronts:
        if masked := _masked(front):
            examples.setdefault(masked, []).append(front)
    often = Counter({masked: len(them) for masked, them in examples.items() if len(them) > 1})
    return [_Prefix(examples[masked]) for masked, _ in often.most_common(_MOST_PREFIXES)]


def _front(line: str, prefixes: Sequence[_Prefix]) -> tuple[str, int]:
    """The stream of a line, and where its text begins."""
    key, end = "", 0
    for prefix in prefixes:
        found = prefix.pattern.match(line)
        if found is not None and found.end() > end:
            key, end = f"{prefix.masked} {' '.join(found.groups())}", found.end()
    return key, end + (key != "" and line[end : end + 1] == " ")


def _joined(lines: Sequence[Line]) -> Iterator[Line]:
    """Lines that a terminal or a program broke at its width are put together again."""
    width = max((line.width for line in lines), default=0)
    full = [line for line in lines if line.width == width]
    broken = 40 <= width <= 250 and any(map(_is_cut, full))
    at = 0
    while at < len(lines):
        line = piece = lines[at]
        at += 1
        while broken and piece.width == width and at < len(lines) and not _ends(line.text, lines[at].text):
            piece = lines[at]
            line = replace(line, text=line.text + piece.text)
            at += 1
        if incomplete(line.text):
            for glue, count in product(("", " "), (1, 2)):
                text = glue.join([line.text.rstrip(), *(one.text.strip() for one in lines[at : at + count])])
                if (found := anchor(text)) is not None and found[1] is not None and found[1].function:
                    line = replace(line, text=text)
                    at += count
                    break
        elif "Error detected in" in line.text and FORWARD.search(line.text) is None:
            for count, glue in product((1, 2, 3), ("", " ")):
                text = glue.join([line.text.rstrip(), *(one.text.strip() for one in lines[at : at + count])])
                if FORWARD.search(text) is not None:
                    line = replace(line, text=text)
                    at += count
                    break
        yield line


def _is_cut(line: Line) -> bool:
    """Whether it says itself that something is missing: the rest of a frame, or of an error."""
    return incomplete(line.text) or (STARTS.search(line.text) is not None and not line.text.endswith((".", "!")))


def _ends(line: str, following: str) -> bool:
    """Whether the line is as long as the others by chance: a whole frame and its code, or the next frame below it."""
    found, below = anchor(line), anchor(following)
    if below is not None and below[1] is not None and not incomplete(line):
        return True
    return found is not None and found[1] is not None and found[1].function != "" and following.startswith("  ")


def _framed(lines: Iterable[Line]) -> Iterator[Line]:
    lines = list(lines)
    for i, line in enumerate(lines):
        start, frame = anchor(line.text) or (0, None)
        if frame is not None and of_pytest(line.text, frame):
            frame = replace(frame, source=_source_above(lines[max(0, i - 40) : i]))
        elif frame is not None:
            frame = with_source(frame, line.indent, [(one.indent, one.text) for one in lines[i + 1 : i + 14]])
        yield replace(line, text=line.text[start:], frame=frame)


def _source_above(lines: Sequence[Line]) -> str:
    """pytest shows the code of a function above the line that tells its place, and marks the line."""
    for line in reversed(lines):
        if line.text.startswith(">"):
            return line.text[1:].strip()
        if anchor(line.text) is not None and not line.text.startswith("E "):
            break
    return ""
