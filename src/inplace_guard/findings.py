"""The one record that both halves produce and every report prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

SCHEMA = 1

Source = Literal["static", "runtime"]
Certainty = Literal["certain", "likely"]


@dataclass(frozen=True, slots=True)
class Site:
    """A place in the user's code.

    `line` is 1-based; `column` is 1-based (0 where it is not known). `op` names what happened there (`add_`,
    `LayerNorm`, `backward`), `module` the module path (`blocks.0.ln1`) if known, `source` the stripped source line.
    In a notebook `cell` counts all cells from 1, and `line` the lines of that cell; elsewhere it is None and left out
    of the JSON.
    """

    path: str
    line: int
    column: int = 0
    op: str | None = None
    module: str | None = None
    source: str | None = None
    cell: int | None = None

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "op": self.op,
            "module": self.module,
            "source": self.source,
        }
        if self.cell is not None:
            data["cell"] = self.cell
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Site:
        return cls(
            data["path"],
            data["line"],
            data.get("column") or 0,
            data.get("op"),
            data.get("module"),
            data.get("source"),
            data.get("cell"),
        )


@dataclass(frozen=True, slots=True)
class Finding:
    """One hazard: which line wrote, which line saved, which backward needed it.

    `write` is where the finding is reported. `message` is one line and complete in itself. `details` are further lines
    for a person (versions, overlap, the fix in the user's own terms). `fix` is filled by `inplace_guard.fixes`.
    """

    code: str
    rule: str
    source: Source
    certainty: Certainty
    message: str
    write: Site
    saved: Site | None = None
    needed: Site | None = None
    test: str | None = None
    fix: Mapping[str, Any] | None = None
    details: tuple[str, ...] = field(default=())

    def to_json(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "rule": self.rule,
            "source": self.source,
            "certainty": self.certainty,
            "message": self.message,
            "write": self.write.to_json(),
            "saved": self.saved and self.saved.to_json(),
            "needed": self.needed and self.needed.to_json(),
            "test": self.test,
            "fix": dict(self.fix) if self.fix is not None else None,
            "details": list(self.details),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Finding:
        """Raises KeyError or TypeError on data that is not a finding."""
        saved, needed = data.get("saved"), data.get("needed")
        return cls(
            code=data["code"],
            rule=data["rule"],
            source=data["source"],
            certainty=data["certainty"],
            message=data["message"],
            write=Site.from_json(data["write"]),
            saved=Site.from_json(saved) if saved else None,
            needed=Site.from_json(needed) if needed else None,
            test=data.get("test"),
            fix=data.get("fix"),
            details=tuple(data.get("details", ())),
        )
