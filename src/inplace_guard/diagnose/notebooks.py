"""Notebooks: which one a frame such as `Cell In[3], line 5` is of, and where its line is in the source of all cells."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from inplace_guard.check import notebook
from inplace_guard.check.reading import Unreadable
from inplace_guard.diagnose.frames import Frame
from inplace_guard.diagnose.model import Candidate
from inplace_guard.findings import Finding, Site

__all__ = ["Book", "is_cell", "load", "which"]

_CELL = re.compile(
    r"In ?\[(?P<a>\d{1,9})\]$|ipython-input-(?P<b>\d{1,9})-\w+(?:>|\.py)$|ipykernel_\d+/\d+\.py$|<command-\d+>$"
)
_LARGEST = 50_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Book:
    """A notebook. `counts`: the number in front of each cell, `In [3]`, which changes whenever it is run."""

    cells: notebook.Notebook
    counts: Sequence[int | None]

    def line(self, frame: Frame) -> int | None:
        """Where the code of a frame stands in the source of all cells: in its cell, or whichever has it there."""
        lines = self.cells.source.split("\n")
        count = _count(frame.path)
        places = [start + frame.line - 1 for start in self.cells.starts]
        if not frame.source:
            return next(
                (at for at, one in zip(places, self.counts, strict=True) if count is not None and one == count), None
            )
        same = [at for at, line in enumerate(lines, 1) if line.strip() == frame.source]
        best = [at for at, one in zip(places, self.counts, strict=True) if at in same and one == count]
        return next(iter((*best, *(at for at in places if at in same), *same)), None)

    def located(self, candidate: Candidate, path: str) -> Candidate:
        """The candidate with its sites in cells."""
        where = Finding(
            candidate.code, "", "static", "likely", "", candidate.write, candidate.saved, details=candidate.reasons
        )
        where = self.cells.locate(where, path)
        return replace(candidate, write=where.write, saved=where.saved, reasons=where.details)

    def site(self, site: Site, path: str) -> Site:
        return self.cells.locate(Finding("", "", "static", "likely", "", site), path).write


def is_cell(path: str) -> bool:
    return _CELL.search(path) is not None


def _count(path: str) -> int | None:
    found = _CELL.search(path)
    number = found and (found["a"] or found["b"])
    return int(number) if number else None


def load(path: Path) -> Book | None:
    try:
        if path.stat().st_size > _LARGEST:
            return None
        data = path.read_bytes()
        book = notebook.read(data)
        cells = json.loads(data.decode("utf-8-sig")).get("cells", [])
    except (OSError, Unreadable, ValueError, AttributeError):
        return None
    if book.language != "python" or not book.starts or len(cells) < book.numbers[-1]:
        return None
    return Book(book, [cells[number - 1].get("execution_count") for number in book.numbers])


def which(books: Iterable[tuple[Path, Book]], frames: Sequence[Frame]) -> Path | None:
    """The notebook that has the most of the lines that the log shows."""
    best: tuple[int, Path] | None = None
    for path, book in books:
        alike = sum(book.line(frame) is not None for frame in frames)
        if alike and (best is None or alike > best[0]):
            best = alike, path
    return best[1] if best is not None else None
