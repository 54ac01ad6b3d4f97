"""A log of a training job -> the errors in it, each with the frames of its traceback and of anomaly mode's."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from inplace_guard.rules.native_errors import AT_BACKWARD, AT_WRITE

__all__ = ["Failure", "Forward", "Frame", "Log", "read"]

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")
_CLOCK = r"\d\d?:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
_TIME = re.compile(rf"\b\d{{4}}[-/]\d\d[-/]\d\d(?:[T ,_]+{_CLOCK})?|\b\d\d?:\d\d:\d\d(?:[.,]\d+)?")
_BOX = re.compile(r"^[\s│┃|╭╰─]*|[\s│┃]*$")
_PYTHON = re.compile(r'File "(?P<path>[^"\n]+)", line (?P<line>\d+)(?:, in (?P<function>\S.*?))?\s*$')
_IPYTHON = re.compile(r"File (?P<path>[^\s\":][^\":]*):(?P<line>\d+)(?:, in (?P<function>[\w.<>]+)\(?.*)?$")
_OTHERS = re.compile(
    r"\.py:(?P<line>\d+)(?::? in (?P<function>[\w.<>]+)|: ?(?:\w+Error|\w*Exception)?)[\s│┃]*$"
)  # rich, pytest
_IN_JSON = re.compile(r'"((?:[^"\\]|\\.)*\\n(?:[^"\\]|\\.)*)"')
_HEADER = re.compile(r"Traceback \(most recent call last\)|Traceback of forward call")
_FORWARD = re.compile(
    r"(?:Error detected in (?P<node>[\w:]+)\.\s*)?"
    r"(?:Traceback of forward call that caused the error|(?P<none>No forward pass information available))"
)
_FORWARD_ENDS = re.compile(r"\(Triggered internally|\(print_stack at|\(function _?print_stack|run_backward\(")
_SAVED = "one of the variables needed for"
# How the texts begin: the log may break the rest of a line.
_STARTS = re.compile(
    _SAVED + r"|a view of a leaf Variable|a leaf Variable that|Output \d+ of \w+ is a view|A view was created in"
    r"|[Ii]nference tensor|Inplace update to|unsupported operation: (?:some|more than)|functions with out="
    r"|Some elements marked as dirty|mark_dirty|Trying to (?:backward|use a saved)|element \d+ of tensors does not"
    r"|would mutate a captured|During a grad \(|vmap: inplace arithmetic|Can't detach views"
)
_HINTS = ("File ", ".py:", "Traceback", "forward pass information")
_LONGEST = 8  # lines that one error text may be broken into
_WIDEST = 5_000  # characters of a line that are looked at


@dataclass(frozen=True, slots=True)
class Frame:
    """A line of a traceback. `source` is the code that the log shows there."""

    path: str
    line: int
    function: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Forward:
    """Anomaly mode's part: the node whose backward failed, and where the forward made it."""

    node: str
    frames: tuple[Frame, ...]
    number: int


@dataclass(slots=True)
class Failure:
    """One error. `text` is what PyTorch said, `number` its line in the log, `times` how often it is there."""

    text: str
    number: int
    frames: tuple[Frame, ...] = ()
    forward: Forward | None = None
    times: int = 1


@dataclass(slots=True)
class Log:
    """`frames`: of the last traceback whose error text is missing. `other`: the last error that is none of ours."""

    failures: list[Failure] = field(default_factory=list)
    frames: tuple[Frame, ...] = ()
    other: str = ""


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    text: str
    stream: str  # what stands in front of the text, times taken out: [rank0], worker-1 |, …
    frame: Frame | None = None


def read(text: str) -> Log:
    """Reads what it can; what is missing is empty in the result."""
    lines = list(_lines(text))
    log = Log()
    for stream in dict.fromkeys(line.stream for line in lines):
        _read_stream([line for line in lines if line.stream == stream], log)
    log.failures.sort(key=lambda failure: failure.number)
    _find_frames_elsewhere(log, lines)
    log.failures = list(_without_copies(log.failures))
    return log


def _lines(text: str) -> Iterator[_Line]:
    """Lines without colours, in streams: those of several processes are often mixed line by line."""
    raw: list[tuple[int, str]] = []
    for number, line in enumerate(re.split(r"\r\n|\n", text), 1):
        parts = [line]
        if "\\n" in line and line.lstrip().startswith("{"):  # a traceback as a string of JSON
            parts = [part for found in _IN_JSON.findall(line) for part in _unescaped(found)] or parts
        for part in parts:
            plain = _ANSI.sub("", part).rpartition("\r")[2]  # what a progress bar has overwritten is gone
            raw += [(number, piece[:_WIDEST]) for piece in plain.replace("Good luck!", "Good luck!\n").split("\n")]
    known: dict[str, str] = {}
    for index, (number, line) in enumerate(raw):
        anchor = _anchor(line)
        if anchor is not None:
            stream = _TIME.sub("", _BOX.sub("", line[: anchor[0]])).strip(" -|")
            known.setdefault(stream, stream)
            frame = anchor[1]
            if frame is not None and (frame.function or not line.rstrip().endswith((":", "Error"))):  # pytest: above
                frame = Frame(frame.path, frame.line, frame.function, _source_below(raw[index + 1 : index + 8], stream))
            yield _Line(number, line[anchor[0] :], stream, frame)
            continue
        plain = _TIME.sub("", line).lstrip(" -|")
        stream = max((one for one in known if one and plain.startswith(one)), key=len, default="")
        yield _Line(number, plain[len(stream) :] if stream else line, stream)


def _anchor(line: str) -> tuple[int, Frame | None] | None:
    """Where in the line a part of a traceback begins."""
    if not any(hint in line for hint in _HINTS):
        found = _STARTS.search(line)
        return None if found is None else (_named(line, found.start()), None)
    for pattern in (_PYTHON, _IPYTHON, _OTHERS):
        if (found := pattern.search(line)) is not None:
            start = found.start()
            if pattern is _OTHERS:  # its path is what stands before
                start = max(line.rfind(mark, 0, start) + 1 for mark in "│┃|")
                start = max([start, *(m.end() for m in re.finditer(r"[\]:>]\s+|^\s+", line[: found.start()]))])
                path = line[start : found.start() + 3].strip()
                if not path or '"' in path:
                    continue
            else:
                path = found["path"].strip()
            return start, Frame(path, int(found["line"]), (found["function"] or "").strip())
    if (found := _HEADER.search(line)) is not None:
        forward = _FORWARD.search(line)
        warning = re.search(r"(?:\b[A-Za-z]:\\|/)?[\w./\\~@+-]+:\d+: \w+Warning|\[W |sys:1", line)
        start = min(m.start() for m in (found, forward, warning) if m is not None)
        return start, None
    if (found := _STARTS.search(line)) is not None or (found := _FORWARD.search(line)) is not None:
        return _named(line, found.start()), None
    return None


def _named(line: str, start: int) -> int:
    """Where the name of the exception begins that stands before its text."""
    name = re.search(r"(?<![\w.])(?:E\s+)?[\w.]*(?:Error|Exception|Warning)\w*(?:\([\w.]*\))?:\s*$", line[:start])
    return name.start() if name else start


def _unescaped(text: str) -> list[str]:
    try:
        return str(json.loads(f'"{text}"', strict=False)).split("\n")
    except ValueError:
        return []


def _source_below(lines: Sequence[tuple[int, str]], stream: str) -> str:
    """The code that a traceback shows under a frame (rich and IPython mark it with an arrow)."""
    for _, line in lines:
        arrow = re.search(r"(?:❱|-+>)\s*\d+\s*[│|]?\s?(.*?)[│┃\s]*$", line)
        if arrow:
            return arrow[1].strip()
    for _, line in lines[:3]:
        plain = _TIME.sub("", line).lstrip(" -|")
        if stream and not plain.startswith(stream):
            continue
        text = plain[len(stream) :].strip()
        return "" if _anchor(line) is not None or not re.search(r"[^\W_]", text) else text
    return ""


def _read_stream(lines: Sequence[_Line], log: Log) -> None:
    frames: list[Frame] = []
    forwards: list[Forward] = []
    waiting: list[Failure] = []  # errors whose forward part may still come
    reading_forward: tuple[str, int] | None = None

    def end_of_forward() -> None:
        nonlocal reading_forward
        if reading_forward is not None:
            forward = Forward(reading_forward[0], tuple(frames), reading_forward[1])
            if waiting and not forwards and waiting[-1].forward is None:
                waiting[-1].forward = forward  # notebooks print it after the error
            else:
                forwards.append(forward)
            frames.clear()
            reading_forward = None

    skip_until = 0
    for index, line in enumerate(lines):
        if index < skip_until:
            continue
        if line.frame is not None:
            frames.append(line.frame)
            continue
        start = _STARTS.search(line.text)
        if start is not None:
            text, skip_until = _whole_text(lines, index, start.start())
            if _is_ours(text):
                end_of_forward()
                failure = Failure(text, line.number, tuple(frames), forwards.pop() if forwards else None)
                forwards.clear()
                frames.clear()
                log.failures.append(failure)
                waiting.append(failure)
        forward_found = _FORWARD.search(line.text)
        if forward_found is not None:
            end_of_forward()
            frames.clear()
            if not forward_found["none"]:
                reading_forward = (forward_found["node"] or "", line.number)
        elif reading_forward is not None and _FORWARD_ENDS.search(line.text):
            end_of_forward()
        elif _HEADER.search(line.text):
            end_of_forward()
            frames.clear()
        elif start is None and (other := re.match(r"\s*(?:E\s+)?([\w.]+(?:Error|Exception|Interrupt)\b.*)", line.text)):
            if frames:
                log.other = other[1].strip()
            frames.clear()
    end_of_forward()
    if frames:
        log.frames = tuple(frames)


def _whole_text(lines: Sequence[_Line], index: int, start: int) -> tuple[str, int]:
    """The error from here on, joined with the lines that a narrow terminal broke it into."""
    parts = [_BOX.sub("", lines[index].text[start:])]
    at = index + 1
    while at < len(lines) and at - index < _LONGEST:
        line = lines[at]
        text = _BOX.sub("", line.text)
        done = _finished(" ".join(parts)) or re.match(r"=+ |\d+ (?:failed|passed)", text)
        if done or not text or line.frame is not None or _HEADER.search(text) or _STARTS.search(text):
            break
        parts.append(text.removeprefix("E ").strip())
        at += 1
    return " ".join(" ".join(parts).split()), at


def _finished(text: str) -> bool:
    if text.endswith("..."):
        return True
    if _SAVED in text[:60]:
        return re.search(r"expected version \d+ instead|Good luck!|set_detect_anomaly", text) is not None
    return len(text) > 100 and text.rstrip().endswith((".", "!"))


def _is_ours(text: str) -> bool:
    if text.startswith(_SAVED):
        return True
    return any(known.pattern.search(text) for known in (*AT_WRITE, *AT_BACKWARD)) or "detached in-place" in text


def _find_frames_elsewhere(log: Log, lines: Sequence[_Line]) -> None:
    """Only the first line of a record may have a prefix: then its frames are in the stream without one."""
    for failure in log.failures:
        if failure.frames or failure.text.endswith("..."):  # the summary of pytest
            continue
        before: list[Frame] = []
        for line in reversed([line for line in lines if line.number < failure.number]):
            if line.frame is not None:
                before.append(line.frame)
            elif _HEADER.search(line.text):
                break
        if before and failure.number - max(n.number for n in lines if n.frame is before[0]) <= _LONGEST:
            failure.frames = tuple(reversed(before))


def _without_copies(failures: Sequence[Failure]) -> Iterator[Failure]:
    """The same error of several ranks, or of a summary at the end, once."""
    kept: list[Failure] = []
    for failure in sorted(failures, key=lambda one: (not one.frames, one.number)):
        for other in kept:
            shorter, longer = sorted((_essence(failure.text), _essence(other.text)), key=len)
            if longer.startswith(shorter[:200]) and _same_place(failure, other):
                other.times += 1
                if other.forward is None:
                    other.forward = failure.forward
                break
        else:
            kept.append(failure)
    yield from sorted(kept, key=lambda one: one.number)


def _same_place(one: Failure, other: Failure) -> bool:
    """Equal tracebacks, as far as neither is cut."""
    a, b = ([(frame.path, frame.line) for frame in failure.frames] for failure in (one, other))
    length = min(len(a), len(b))
    return length == 0 or a[-length:] == b[-length:]


def _essence(text: str) -> str:
    return text.partition(" Hint:")[0].rstrip(". …")
