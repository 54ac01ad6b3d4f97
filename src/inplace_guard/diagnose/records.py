"""The text of a log as lines: without colours and terminal tricks, and with what is packed into strings unpacked."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from inplace_guard.diagnose.frames import STARTS

__all__ = ["records"]

_ANSI = re.compile(
    r"(?:\x1b|\^\[)(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])"
    r"|\[(?:\d{1,2};)*\d{1,2}m"  # the escape itself was lost
)
_PACKED = re.compile(r"\\n[^\\\n]{0,8}?(?:File |Traceback \(|[\w.]+Error: |-+> )")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_SPOKEN = re.compile(
    r"(?i)(?:log|message|msg|text|textpayload|line|event|exc\w*|err\w*|stack\w*|trace\w*|output|body|content|data"
    r"|details?|payload|reason|values?)$"
)
_SPEAKER = re.compile(r"(?i)(?:\w*rank|pod\w*|host\w*|worker\w*|replica\w*|container\w*|pid|process\w*|node\w*)$")
_ONE_LINE = re.compile(r'\s+(?=File "[^"\n]+", line \d+|Traceback \(most|[\w.]*Error: )')
_FRAME = re.compile(r'(File "[^"\n]+", line \d+, in (?:<\w+>|\w+))\s+(?=\S)')
_ERROR_AFTER = re.compile(r'File ".*", line \d+, in .*Error: ')
_SUMMARY = re.compile(r"<FrameSummary file (.+?), line (\d+) in (\S+)>")
_ERROR_AT = re.compile(r"\S+\.py:\d+: (?:\w+Error|\w*Exception)(?=: )")
_SIGNS = re.compile(r"File|Traceback|\.py|Error|Exception|forward pass|In ?\[|<ipython")
_BEFORE, _AFTER = 4, 400  # lines around these
_WIDEST = 20_000  # characters of a line that are looked at
_LONGEST_RECORD = 4_000_000


def records(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their numbers; a line that held several gives them all, with the number of that one."""
    text = text.replace("\0", "")
    if "File “" in text:  # an editor for prose has been at it
        text = text.replace("“", '"').replace("”", '"')
    if "\n" not in text:
        text = text.replace("\r", "\n")
    if "File &quot;" in text or "File &#34;" in text:
        text = html.unescape(re.sub(r"<(?:br|/p|/div)\s*/?>", "\n", text))
    document = _document(text) if text.lstrip()[:1] in ("{", "[") and text.count("\n") < 100_000 else None
    if document is not None:
        text = document
    lines = text.split("\n")
    near = _near(lines)
    for number, line in enumerate(lines, 1):
        if not line or not near[number]:
            yield number, ""
            continue
        for part in _parts(line.rstrip("\r")):
            if "\x1b" in part or "^[" in part or "m" in part:
                part = _ANSI.sub("", part)
            for piece in part.replace("Good luck!", "Good luck!\n").split("\n"):
                for shown in piece.split("\r"):  # a progress bar writes over what it wrote
                    shown = shown[:_WIDEST]
                    yield number, shown.rstrip() if shown.endswith("  ") else shown


def _near(lines: Sequence[str]) -> bytearray:
    """Which lines, counted from 1, may be of a traceback. Most of a long log is something else."""
    near = bytearray(len(lines) + _AFTER + 1)
    for number, line in enumerate(lines, 1):
        if line and (_SIGNS.search(line) or STARTS.search(line)):
            first = max(number - _BEFORE, 0)
            near[first : number + _AFTER] = b"\1" * (number + _AFTER - first)
    return near


def _parts(line: str) -> list[str]:
    start = line[:200].lstrip()[:1]
    if start == "{" and len(line) < _LONGEST_RECORD:
        try:
            return list(_lines_of(json.loads(line)))
        except (ValueError, RecursionError):
            pass
    if "<FrameSummary file " in line:
        return _SUMMARY.sub(r'\n  File "\1", line \2, in \3\n', line).split("\n")
    if (at := _ERROR_AT.match(line)) is not None:  # pytest --tb=line
        return [line[: at.end()], line[at.end() :]]
    if line.endswith(("\\n", "\\n\\")):  # a string over several lines
        line = line.rstrip("\\").removesuffix("\\n").replace('\\"', '"')
    if "\\n" in line and _PACKED.search(line) is not None:
        return _unpacked(line[:_LONGEST_RECORD])
    if 'File "' in line and (line.count('File "') > 1 or _ERROR_AFTER.search(line)):
        return _FRAME.sub(r"\1\n    ", _ONE_LINE.sub("\n  ", line)).split("\n")
    return [line]


def _unpacked(line: str) -> list[str]:
    """A traceback as a string with escapes, perhaps in another such string."""
    for _ in range(3):
        if _PACKED.search(line) is None:
            break
        line = _ESCAPE.sub(_character, line)
    first, *others = line.split("\n")
    head = re.search(r"Traceback \(most|\S+: \w+Warning: |File \"", first)
    parts = [first[head.start() :] if head else first, *others]
    parts[-1] = parts[-1].rstrip("\"'}],) ")
    return parts


def _character(match: re.Match[str]) -> str:
    what = match[1]
    return chr(int(what[1:], 16)) if len(what) > 1 else _ESCAPES.get(what, what)


def _document(text: str) -> str | None:
    """The lines of a text that is one JSON document as a whole."""
    try:
        return "\n".join(_lines_of(json.loads(text)))
    except (ValueError, RecursionError):
        return None


def _lines_of(record: Any) -> Iterator[str]:
    """What a record of JSON says, in front of each line who says it."""
    speaker = " ".join(f"{value}" for value in _speakers(record))
    for text in _strings(record):
        for line in text.split("\n"):
            yield f"[{speaker}] {line}" if speaker else line


def _speakers(record: Any) -> Iterator[object]:
    if isinstance(record, dict):
        for key, value in record.items():
            if isinstance(value, dict):
                yield from _speakers(value)
            elif isinstance(value, str | int) and _SPEAKER.match(str(key)):
                yield value


def _strings(value: Any, key: str = "") -> Iterator[str]:
    if isinstance(value, str):
        text = value.removesuffix("\n")
        if text.lstrip()[:1] == "{":
            try:
                yield from _strings(json.loads(text))
                return
            except (ValueError, RecursionError):
                pass
        if _SPOKEN.match(key) or "\n" in text:
            yield text
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item, key)
    elif isinstance(value, dict):
        if frame := _frame(value):
            yield frame
            return
        kind, words = value.get("exc_type") or value.get("type"), value.get("exc_value") or value.get("value")
        for name, item in value.items():
            if item is not kind and item is not words:
                yield from _strings(item, str(name))
        if isinstance(kind, str) and isinstance(words, str):
            yield f"{kind}: {words}"
        else:
            for name in ("exc_value", "value", "type"):
                yield from _strings(value.get(name), name)


def _frame(value: dict[str, Any]) -> str:
    """A frame as structlog and Sentry write it."""
    path = value.get("abs_path") or value.get("filename") or value.get("file")
    line = value.get("lineno") or value.get("line_number")
    if not isinstance(path, str) or not isinstance(line, int):
        return ""
    name = value.get("function") or value.get("name") or "<module>"
    code = value.get("context_line") or value.get("line") or ""
    return f'  File "{path}", line {line}, in {name}\n    {str(code).strip()}'
