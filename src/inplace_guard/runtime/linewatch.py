"""Which line of the user's code changed a piece of memory, found by looking at it after each line.

Only for the frame that took an alias and those that it calls, only in the user's own code, only for a bounded number of
events, and only where no debugger or coverage tool already traces.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from inplace_guard.runtime.capture import FILES, Place, is_library

__all__ = ["LineWatch"]

_EVENTS = 20_000


class LineWatch:
    """`passed(subject, place)` is called after each line, and says whether to go on with that subject."""

    def __init__(self, passed: Callable[[Any, Place], bool]) -> None:
        self._passed = passed
        self._subjects: list[Any] = []
        self._frames: dict[int, FrameType] = {}
        self._last: Place | None = None
        self._left = 0
        self._busy = False

    def begin(self, frame: FrameType | None, subject: Any) -> None:
        """Watch from the line that runs now in the innermost frame of the user's own."""
        while frame is not None and (FILES[frame.f_code.co_filename] or is_library(frame.f_code.co_filename)):
            frame = frame.f_back
        if frame is None:
            return
        tracing = sys.gettrace()
        if tracing is not None and tracing != self._call:
            return
        self._subjects.append(subject)
        self._left = _EVENTS
        self._last = Place(frame.f_code, frame.f_lasti)
        if frame.f_trace is None:
            frame.f_trace = self._line
            self._frames[id(frame)] = frame
        if tracing is None:
            sys.settrace(self._call)

    def end(self, subject: Any) -> None:
        if subject in self._subjects:
            self._subjects.remove(subject)
        if not self._subjects:
            self.close()

    def last_line(self, subject: Any) -> Place | None:
        """The line that runs, if this subject is being watched."""
        return self._last if subject in self._subjects else None

    def close(self) -> None:
        self._subjects.clear()
        if sys.gettrace() == self._call:
            sys.settrace(None)
        for frame in self._frames.values():
            if frame.f_trace == self._line:
                frame.f_trace = None
        self._frames.clear()

    def _call(self, frame: FrameType, event: str, arg: Any) -> Any:
        if self._busy:
            return None
        self._look()
        name = frame.f_code.co_filename
        if not self._subjects or FILES[name] or is_library(name):
            return None
        self._last = Place(frame.f_code, frame.f_lasti)
        return self._line

    def _line(self, frame: FrameType, event: str, arg: Any) -> Any:
        if self._busy:
            return self._line
        self._look()
        if event == "return":
            self._frames.pop(id(frame), None)
            outer = frame.f_back
            while outer is not None and FILES[outer.f_code.co_filename]:
                outer = outer.f_back
            if outer is not None:
                self._last = Place(outer.f_code, outer.f_lasti)
                if outer.f_trace is None and not is_library(outer.f_code.co_filename) and self._subjects:
                    outer.f_trace = self._line
                    self._frames[id(outer)] = outer
        else:
            self._last = Place(frame.f_code, frame.f_lasti)
        return self._line if self._subjects else None

    def _look(self) -> None:
        self._left -= 1
        if self._last is None:
            return
        self._busy = True
        try:
            last = self._last
            self._subjects[:] = [subject for subject in self._subjects if self._passed(subject, last)]
        finally:
            self._busy = False
        if self._left <= 0 or not self._subjects:
            self.close()
