"""The analysis over the whole of installed libraries: it ends, it does not fail, and it says next to nothing."""

from __future__ import annotations

import importlib.util
import time
from pathlib import Path

import pytest

from inplace_guard.analysis import analyze, entries

from .mutations import SITE

pytestmark = pytest.mark.slow

MOST_PER_100_000_LINES = {"torch": 1.0, "transformers": 1.5}
SECONDS_A_FILE = 60  # generous: the slowest takes about two, on a quiet machine


@pytest.mark.parametrize("package", MOST_PER_100_000_LINES)
def test_a_library_that_trains_fine(package: str) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    lines, findings, slow, failed = 0, [], [], []
    for path in sorted(Path(SITE, package).rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        begin = time.process_time()
        try:
            analysis = analyze(source, str(path))
        except SyntaxError:
            assert "py312" in path.name  # written for a later Python
            continue
        if time.process_time() - begin > SECONDS_A_FILE:
            slow.append(path)
        lines += source.count("\n")
        findings += [f"{path}:{f.write.line} {f.code} {f.message}" for f in analysis.findings]
        failed += [f"{path}: {note}" for note in analysis.notes if entries.INTERNAL in note]
    assert failed == []
    assert slow == []
    assert lines > 500_000
    assert len(findings) * 100_000 / lines <= MOST_PER_100_000_LINES[package], "\n".join(findings)
