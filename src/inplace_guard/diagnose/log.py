"""A log of a training job -> the errors in it, each with the frames of its traceback and of anomaly mode's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from inplace_guard.diagnose.frames import BOX, FORWARD, HEADER, STARTS, Frame, of_pytest
from inplace_guard.diagnose.records import records
from inplace_guard.diagnose.streams import Line, streams
from inplace_guard.rules.native_errors import AT_BACKWARD, AT_WRITE

__all__ = ["Failure", "Forward", "Log", "essence", "read"]

_FORWARD_ENDS = re.compile(r"\(Triggered internally|\(print_stack at|\(function _?print_stack|run_backward\(")
_SAVED = "one of the variables needed for"
_LONGEST = 8  # lines that one error text may be broken into


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


def read(text: str) -> Log:
    """Reads what it can; what is missing is empty in the result."""
    found = streams(records(text))
    log = Log()
    for lines in found.values():
        _read_stream(lines, log)
    log.failures.sort(key=lambda failure: failure.number)
    _find_frames_elsewhere(log, [line for lines in found.values() for line in lines])
    log.failures = list(_without_copies(log.failures))
    return log


def _read_stream(lines: Sequence[Line], log: Log) -> None:
    frames: list[Frame] = []
    forwards: list[Forward] = []
    waiting: list[Failure] = []  # errors whose forward part may still come
    behind: Failure | None = None  # an error whose traceback stands behind it, as in Sentry and pdb
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
            last = waiting[-1] if waiting else None
            if last is not None and of_pytest(line.text, line.frame) and line.text.rstrip()[-1] != ":" and not frames:
                last.frames = (*last.frames, line.frame)  # pytest puts the place of the innermost frame after the error
            elif behind is not None:
                behind.frames = (*behind.frames, line.frame)
            else:
                frames.append(line.frame)
            continue
        start = STARTS.search(line.text)
        if start is not None:
            text, skip_until = _whole_text(lines, index, start.start())
            if _is_ours(text):
                end_of_forward()
                failure = Failure(text, line.number, tuple(frames), forwards.pop() if forwards else None)
                forwards.clear()
                frames.clear()
                log.failures.append(failure)
                waiting.append(failure)
                behind = None if failure.frames else failure
        forward_found = FORWARD.search(line.text)
        if forward_found is not None or HEADER.search(line.text):
            behind = None
        if forward_found is not None:
            end_of_forward()
            frames.clear()
            if not forward_found["none"]:
                reading_forward = (forward_found["node"] or "", line.number)
        elif reading_forward is not None and _FORWARD_ENDS.search(line.text):
            end_of_forward()
        elif HEADER.search(line.text):
            end_of_forward()
            frames.clear()
        elif start is None and (other := re.match(r"\s*(?:E\s+)?([\w.]+(?:Error|Exception|Interrupt)\b.*)", line.text)):
            if frames:
                log.other = other[1].strip()
            frames.clear()
    end_of_forward()
    if frames:
        log.frames = tuple(frames)


def _whole_text(lines: Sequence[Line], index: int, start: int) -> tuple[str, int]:
    """The error from here on, joined with the lines that a narrow terminal broke it into."""
    parts = [BOX.sub("", lines[index].text[start:])]
    at = index + 1
    while at < len(lines) and at - index < _LONGEST:
        line = lines[at]
        text = BOX.sub("", line.text)
        done = _finished(" ".join(parts)) or re.match(r"=+ |\d+ (?:failed|passed)", text)
        if done or not text or line.frame is not None or HEADER.search(text) or STARTS.search(text):
            break
        parts.append(text.removeprefix("E ").strip())
        at += 1
    return " ".join(" ".join(parts).split()), at


def _finished(text: str) -> bool:
    if text.endswith("..."):
        return True
    if _SAVED in text[:60]:
        return re.search(r"expected version \d+ instead|Good luck!|set_detect_anomaly", text) is not None
    return len(text) > 70 and text.rstrip().endswith((".", "!"))


def _is_ours(text: str) -> bool:
    if text.startswith(_SAVED):
        return True
    return any(known.pattern.search(text) for known in (*AT_WRITE, *AT_BACKWARD)) or "detached in-place" in text


def _find_frames_elsewhere(log: Log, lines: Sequence[Line]) -> None:
    """Only the first line of a record may have a prefix: then its frames are in the stream without one."""
    for failure in log.failures:
        if failure.frames or failure.text.endswith("..."):  # the summary of pytest
            continue
        before: list[Frame] = []
        for line in reversed([line for line in lines if line.number < failure.number]):
            if line.frame is not None:
                before.append(line.frame)
            elif HEADER.search(line.text):
                break
        if before and failure.number - max(n.number for n in lines if n.frame is before[0]) <= _LONGEST:
            failure.frames = tuple(reversed(before))


def _without_copies(failures: Sequence[Failure]) -> Iterator[Failure]:
    """The same error of several ranks, or of a summary at the end, once."""
    kept: list[Failure] = []
    for failure in sorted(failures, key=lambda one: (not one.frames, one.number)):
        for other in kept:
            shorter, longer = sorted((essence(failure.text), essence(other.text)), key=len)
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


def essence(text: str) -> str:
    """The text of an error without its advice."""
    return text.partition(" Hint:")[0].rstrip(". …")
