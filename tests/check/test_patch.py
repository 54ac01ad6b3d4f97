"""A diff that is made from the changed lines is one that `git apply` and `patch` take, whatever the lines are."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from inplace_guard.check import patch
from inplace_guard.fixes.text import Edit, SourceText

ENDS = ("\n", "\n", "\r\n", "\r")
LINES = ("x = 1", "y = 2", "", "\fz = 3", "# \x0b \x1c \x85 \u2028 end", "text = 'é'")
TOOLS = {"patch": ["patch", "--binary", "-p0", "-s"], "git": ["git", "apply", "-p0"]}


def changed(rng: random.Random, text: str) -> tuple[str, list[patch.Change]]:
    """Another text, by a few edits, and the lines that they touch."""
    source = SourceText(text.encode())
    places = sorted(rng.sample(range(len(text) + 1), min(2 * rng.randint(1, 4), len(text) // 2 * 2)))
    edits = []
    for start, last in zip(places[::2], places[1::2], strict=True):
        end = min(last, start + rng.choice([0, 1, 9]))
        if "\r" in text[max(start - 1, 0) : end + 1]:  # no edit divides a line end
            continue
        lines = [rng.choice(LINES[:4]) + rng.choice(ENDS[:3]) for _ in range(rng.choice([0, 0, 1, 3]))]
        edits.append(Edit(start, end, f"# {''.join(lines)}"))
    try:
        after = source.apply(edits).decode()
        SourceText(after.encode())
    except Exception:
        return text, []
    return after, source.changes(edits)


def cases(seed: int) -> tuple[str, str, list[patch.Change]]:
    rng = random.Random(seed)
    ends = rng.choice([ENDS[:1], ENDS[2:3], ENDS])
    text = "".join(rng.choice(LINES) + rng.choice(ends) for _ in range(rng.choice([3, 10, 40])))
    before = text = text if rng.random() < 0.5 else text.rstrip("\r\n")
    changes: list[patch.Change] = []
    for _ in range(rng.choice([1, 2, 3])):
        text, more = changed(rng, text)
        changes = patch.chained(changes, more)
    return before, text, changes


@pytest.mark.parametrize("tool", TOOLS)
def test_any_change(tmp_path: Path, tool: str) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"needs {tool}")
    all_hunks, expected = [], {}
    for seed in range(400):
        before, after, changes = cases(seed)
        if before == after:
            continue
        (tmp_path / f"{seed}.py").write_bytes(before.encode())
        expected[f"{seed}.py"] = after
        all_hunks.append(patch.header(f"{seed}.py") + patch.hunks(before, after, changes))
    assert len(expected) > 200
    diff = "".join(all_hunks).encode()
    done = subprocess.run(TOOLS[tool], cwd=tmp_path, input=diff, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    wrong = [name for name, after in expected.items() if (tmp_path / name).read_bytes() != after.encode()]
    assert not wrong


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    "name", ["with space.py", " lead.py", 'quo"te.py', "back\\slash.py", "tab\t.py", "new\nline.py"]
)
def test_any_name(tmp_path: Path, tool: str, name: str) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"needs {tool}")
    (tmp_path / name).write_bytes(b"a\nb\n")
    diff = patch.header(name) + patch.hunks("a\nb\n", "a\nc\n", [(range(2, 3), range(2, 3))])
    done = subprocess.run(TOOLS[tool], cwd=tmp_path, input=diff.encode(), capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / name).read_bytes() == b"a\nc\n"


def test_changes_of_two_rounds_are_one() -> None:
    first = [(range(3, 4), range(3, 6)), (range(10, 12), range(12, 13))]
    then = [(range(5, 7), range(5, 6)), (range(20, 21), range(19, 20))]
    assert patch.chained(first, then) == [
        (range(3, 5), range(3, 6)),
        (range(10, 12), range(11, 12)),
        (range(19, 20), range(19, 20)),
    ]
    assert patch.chained([], then) == then
    assert patch.chained(first, []) == first
