"""The labelled programs: each hazard is reported on a line of its label, everything else is quiet."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from inplace_guard.analysis import analyze

CORPUS = Path(__file__).parents[1] / "corpus"

# What no analysis of one file decides, or this one does not yet, with the reason. A case that is found after all
# fails its test, so that the list stays true.
MISSES = json.loads((CORPUS / "static_misses.json").read_text())
ALARMS = json.loads((CORPUS / "static_alarms.json").read_text())


@dataclass(frozen=True)
class Case:
    folder: Path
    label: dict[str, object]

    @property
    def name(self) -> str:
        return self.folder.name

    def lines(self) -> set[int]:
        return {*self.label["hazard_lines"], *self.label.get("write_runs_at_lines", [])}  # type: ignore[misc]


CASES = [Case(path.parent, json.loads(path.read_text())) for path in sorted(CORPUS.glob("*/*/label.json"))]
HAZARDS = [case for case in CASES if case.label["outcome"] != "ok"]
QUIET = [case.folder / "before.py" for case in CASES if case.label["outcome"] == "ok"]
QUIET += [path for case in CASES if (path := case.folder / "after.py").exists()]


def reported(path: Path) -> list[tuple[int, str, str]]:
    return [(f.write.line, f.code, f.message) for f in analyze(path.read_text(), str(path)).findings]


@pytest.mark.parametrize("case", HAZARDS, ids=lambda case: case.name)
def test_hazard_is_reported_on_its_line(case: Case) -> None:
    found = reported(case.folder / "before.py")
    hit = any(line in case.lines() for line, _, _ in found)
    assert hit is (case.name not in MISSES), f"expected {sorted(case.lines())}, got {found}"


@pytest.mark.parametrize("case", HAZARDS, ids=lambda case: case.name)
def test_no_other_line_of_a_hazard_is_reported(case: Case) -> None:
    assert [f for f in reported(case.folder / "before.py") if f[0] not in case.lines()] == []


@pytest.mark.parametrize("path", QUIET, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_safe_code_is_not_reported(path: Path) -> None:
    """Nor do known false alarms go unnoticed when they end."""
    assert bool(reported(path)) is (f"{path.parent.name}/{path.stem}" in ALARMS), reported(path)
