"""What keeps a file from being checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Problem"]


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
        place = self.path
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
