"""What keeps a file from being checked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Problem", "internal_error", "printable"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a file could not be checked. `message` is one line and says what to do; `internal`: a fault of ours."""

    path: str
    message: str
    line: int = 0
    column: int = 0
    cell: int | None = None
    internal: bool = False

    def __str__(self) -> str:
        place = printable(self.path)
        if self.cell is not None:
            place += f":cell {self.cell}"
        if self.line:
            place += f":{self.line}:{self.column}" if self.column else f":{self.line}"
        return f"{place}: {self.message}"

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "message": self.message,
        }
        if self.cell is not None:
            data["cell"] = self.cell
        return data


_CONTROLS = {number: repr(chr(number))[1:-1] for number in (*range(32), *range(127, 160))}


def printable(path: str) -> str:
    """A path on one line, without characters that a terminal would obey."""
    return path.translate(_CONTROLS)


def internal_error(error: BaseException) -> str:
    """A fault of ours on one line: what it is and where in the package it arose, for the report that a user files."""
    place = ""
    trace = error.__traceback__
    while trace is not None:
        file = Path(trace.tb_frame.f_code.co_filename)
        if "inplace_guard" in file.parts:
            place = f" at {file.name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"internal error ({' '.join(f'{type(error).__name__}: {error}'.split())}{place})"
