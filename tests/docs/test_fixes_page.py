"""The diffs in docs/fixes.md are what --fix makes of their programs, and PyTorch runs the result."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from inplace_guard.check.fixing import fix_bytes
from inplace_guard.config import Settings

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "fixes.md").read_text(encoding="utf-8")
UNSAFE = PAGE.index("## What a person has to look at")
DIFFS = [(match.start(), match[1]) for match in re.finditer(r"^```diff\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)]


def side(diff: str, sign: str) -> str:
    lines = [line for line in diff.splitlines() if line[:1] in ("", " ", sign)]
    return "".join(f"{line[1:]}\n" for line in lines)


@pytest.mark.parametrize(("place", "diff"), DIFFS, ids=[str(number) for number in range(1, len(DIFFS) + 1)])
def test_a_diff(place: int, diff: str) -> None:
    before, after = side(diff, "-"), side(diff, "+")
    unsafe = place > UNSAFE
    file = fix_bytes(before.encode(), "page.py", Settings(), unsafe=unsafe)
    assert file.after.decode() == after
    assert not file.report.findings
    assert not unsafe or not fix_bytes(before.encode(), "page.py", Settings(), unsafe=False).changed
    exec(compile(after, "page.py", "exec"), {"__name__": "page"})


def test_there_are_diffs() -> None:
    assert len(DIFFS) == 14
