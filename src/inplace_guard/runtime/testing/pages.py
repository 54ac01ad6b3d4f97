"""`--inplace-guard-html`: a page for each failing test with a hazard, and an index of them."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from inplace_guard.findings import Finding
from inplace_guard.runtime.imports import half_imported

if TYPE_CHECKING:
    from inplace_guard.runtime.tape.trace import Trace

__all__ = ["Pages"]

_INDEX = "index.html"


class Pages:
    """Raises OSError if the folder cannot be made or written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._trace: Trace | None = None
        self._entries: dict[str, tuple[str, str, list[Finding]]] = {}
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _INDEX).touch()

    def begin(self) -> None:
        """A test starts. Where torch is only imported later, its page does without the names of modules."""
        if "torch" in sys.modules and not half_imported("torch"):
            from inplace_guard.runtime.tape.trace import Trace

            self._trace = Trace()
            self._trace.__enter__()

    def end(self) -> None:
        if self._trace is not None:
            self._trace.__exit__()
            self._trace = None

    def write(self, test: str, findings: Sequence[Finding], error: BaseException | None) -> str:
        """The page of a test that has just failed with this error; returns its name."""
        from inplace_guard.report.html import page

        readable = re.sub(r"[^0-9A-Za-z.]+", "-", test)[-80:].strip("-.")
        name = f"{readable}-{hashlib.sha256(test.encode()).hexdigest()[:8]}.html"
        (self.folder / name).write_text(page(_document(test, findings, error, self._trace)), encoding="utf-8")
        return name

    def add(self, test: str, name: str, findings: Sequence[Finding]) -> None:
        self._entries[test] = (test, name, list(findings))

    def finish(self) -> int:
        """Write the index; returns the number of pages."""
        from inplace_guard.report.html.index import index

        (self.folder / _INDEX).write_text(index(list(self._entries.values())), encoding="utf-8")
        return len(self._entries)


def _document(
    test: str, findings: Sequence[Finding], error: BaseException | None, trace: Trace | None
) -> dict[str, Any]:
    from inplace_guard.runtime import active
    from inplace_guard.runtime.graphwalk import roots_of
    from inplace_guard.runtime.tape.collect import collect
    from inplace_guard.runtime.tape.document import document
    from inplace_guard.runtime.tape.model import Tape

    outputs = _backward_of(error)
    if not roots_of(outputs):
        return document(Tape((), title=test), None, findings)
    return document(collect(outputs, active.current(), trace, title=test).tape, None, findings)


def _backward_of(error: BaseException | None) -> tuple[Any, ...]:
    """What the backward that raised this error started from: its frame is still there, in the traceback."""
    from inplace_guard.runtime.session import Session

    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        trace: TracebackType | None = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code is Session.backward.__code__:
                outputs = trace.tb_frame.f_locals.get("outputs", ())
                return tuple(outputs) if isinstance(outputs, (tuple, list)) else (outputs,)
            trace = trace.tb_next
        error = error.__cause__ or error.__context__
    return ()
