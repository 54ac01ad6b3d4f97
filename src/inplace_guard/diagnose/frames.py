"""Where a line of a log is part of a traceback: the forms of Python, IPython, rich, pytest and loguru."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

__all__ = ["BOX", "FORWARD", "HEADER", "STARTS", "Frame", "anchor", "incomplete", "of_pytest", "with_source"]

BOX = re.compile(r"^[\s│┃|╭╰─>+]*|[\s│┃|]*$")
HEADER = re.compile(r"Traceback \(most recent call last\)|Traceback of forward call")
FORWARD = re.compile(
    r"(?:Error detected in (?P<node>[\w:]+)\.\s*)?"
    r"(?:Traceback of forward call that caused the error|(?P<none>No forward pass information available))"
)
# How the texts of the errors begin: the log may break the rest of a line.
STARTS = re.compile(
    r"one of the variables needed for|a view of a leaf Variable|a leaf Variable that|Output \d+ of \w+ is a view"
    r"|A view was created in|is a view of a view which was created|[Ii]nference tensor|Inplace update to"
    r"|unsupported operation: (?:some|more than)|functions with out=|Some elements marked as dirty|mark_dirty"
    r"|Trying to (?:backward|use a saved)|element \d+ of (?:the )?(?:tensors|variables) does not"
    r"|If your Function modifies|A saved tensor pack hook"
    r"|would mutate a captured|During a grad \(|vmap: inplace arithmetic|Can't detach views"
)
_HINTS = ("File ", ".py", "Traceback", "forward pass information", "In[", "In [", "<ipython-")
_PYTHON = re.compile(r'File "+(?P<path>[^"\n]+)"+, line (?P<line>\d{1,9})(?:, in (?P<function>\S.*?))?\s*$')
_INCOMPLETE = re.compile(
    r'File(?:\s+"[^"]*(?:"(?:,(?: (?:l(?:i(?:n(?:e(?: (?:\d+(?:,(?: (?:in? ?)?)?)?)?)?)?)?)?)?)?)?)?)?$'
)
_IPYTHON = re.compile(r"File (?P<path>[^\s\":][^\":]*):(?P<line>\d{1,9})(?:, in (?P<function>[\w.<>]+)\(?.*)?$")
_CELL = re.compile(
    r"(?:Cell |Input )(?P<path>In ?\[\d+\])(?:, line (?P<line>\d{1,9}))?(?:, in (?P<function>[\w.<>: ]+)(?:\(.*)?)?$"
)
_OLD_IPYTHON = re.compile(
    r"(?P<path><ipython-input-[^>\s]+>|(?:~|/|[A-Za-z]:\\)\S*\.py) in "
    r"(?P<function>[\w.<>]+|<cell line: \d+>)(?:\(.*\))?$"
)
_OTHERS = re.compile(
    r"\.py:(?P<line>\d{1,9})(?::? in(?: (?P<function>[\w.<>]+))?|: ?(?:\w+Error|\w*Exception)?)[\s│┃]*$"
)  # rich, pytest
_PDB = re.compile(r"(?P<path>(?:/|~|\.|[A-Za-z]:\\)[^\s()]*\.py)\((?P<line>\d{1,9})\)(?P<function>[\w<>]+)\(\)")
_ARROW = re.compile(r"(?:❱|-+>)\s*(?P<line>\d{1,9})\s*[│|]?\s?(?P<code>.*?)[│┃\s]*$")
_WARNING = re.compile(r"(?:\b[A-Za-z]:\\|/)?[\w./\\~@+-]+:\d+: \w+Warning|\[W |sys:1")
_NOT_CODE = re.compile(r"^[\W_]*$")


@dataclass(frozen=True, slots=True)
class Frame:
    """A line of a traceback. `source` is the code that the log shows there; `line` is 0 if the log names none."""

    path: str
    line: int
    function: str = ""
    source: str = ""


def anchor(line: str) -> tuple[int, Frame | None] | None:
    """Where in the line a part of a traceback begins."""
    if any(hint in line for hint in _HINTS):
        for pattern in (_PYTHON, _IPYTHON, _CELL, _OTHERS, _OLD_IPYTHON, _PDB):
            found = pattern.search(line)
            if found is None:
                continue
            start, path = found.start(), ""
            if pattern is _OTHERS:  # its path is what stands before
                boxed = max(line.rfind(mark, 0, start) for mark in "│┃")
                start = boxed + 1 if boxed >= 0 else max(line.rfind(mark, 0, start) for mark in " \t>]|") + 1
                start += len(line[start : found.start()]) - len(line[start : found.start()].lstrip())
                path = line[start : found.start() + 3].strip()
                if not path or '"' in path:
                    continue
            groups = found.groupdict()
            number = int(groups.get("line") or 0)
            return start, Frame(path or groups["path"].strip(), number, (groups["function"] or "").strip())
        if (found := HEADER.search(line)) is not None:
            others = (FORWARD.search(line), _WARNING.search(line))
            return min(m.start() for m in (found, *others) if m is not None), None
    if (found := STARTS.search(line)) is not None or (found := FORWARD.search(line)) is not None:
        return _named(line, found.start()), None
    return None


def _named(line: str, start: int) -> int:
    """Where the name of the exception begins that stands before its text."""
    name = re.search(
        r"(?<![\w.])(?:E\s+)?[\w.]*(?:Error|Exception|Warning)\w*(?:\([\w.]*\))?:\s*(?:\w+\(\): )?$", line[:start]
    )
    return name.start() if name else start


def incomplete(line: str) -> bool:
    """Whether a frame of Python may go on in the next line."""
    return _INCOMPLETE.search(line) is not None


def of_pytest(line: str, frame: Frame) -> bool:
    """Whether the line is `path:line:` or `path:line: RuntimeError`, which stands under the code and not above it."""
    return not frame.function and line.rstrip().endswith((":", "Error", "Exception"))


def with_source(frame: Frame, depth: int, below: Sequence[tuple[int, str]]) -> Frame | None:
    """The frame with the code that the log shows under it, which rich and IPython mark with an arrow.

    `below` are the next lines with their indentation, `depth` is that of the frame. None: it is no frame after all.
    """
    for _, text in below:
        if (arrow := _ARROW.search(text)) is not None:
            line = frame.line or int(arrow["line"])
            return replace(frame, line=line, source=BOX.sub("", arrow["code"]))
        if anchor(text) is not None:
            break
    if not frame.line:
        return None
    for indent, text in below[:6]:
        if anchor(text) is not None:
            return frame
        code = BOX.sub("", text)
        if _NOT_CODE.match(code) or (depth and indent <= depth):  # blank, carets, or the output of somebody else
            continue
        return replace(frame, source=code.removeprefix("-> "))  # pdb
    return frame
