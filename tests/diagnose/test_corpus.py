"""The labelled programs that raise: from their logs alone, the line that writes is named first."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_guard.diagnose import diagnose

from .failing import Case, cases, log_of


def first_line(log: str, root: Path) -> int | None:
    report = diagnose(log, root)
    candidates = [candidate for diagnosis in report.diagnoses for candidate in diagnosis.candidates]
    return candidates[0].write.line if candidates else None


@pytest.mark.parametrize("anomaly", [False, True], ids=["plain", "anomaly"])
@pytest.mark.parametrize("case", cases()[::7], ids=lambda case: case.name)
def test_the_write_is_named_first(case: Case, anomaly: bool) -> None:
    assert first_line(log_of(case.program, anomaly), case.program.parent) in case.lines


@pytest.mark.slow
@pytest.mark.parametrize("anomaly", [False, True], ids=["plain", "anomaly"])
def test_how_often_the_write_is_named_first(anomaly: bool) -> None:
    """The share that docs/cli.md tells, over all cases."""
    wrong = [
        case.name
        for case in cases()
        if first_line(log_of(case.program, anomaly), case.program.parent) not in case.lines
    ]
    assert len(cases()) >= 100
    assert len(wrong) <= 0.02 * len(cases()), wrong
