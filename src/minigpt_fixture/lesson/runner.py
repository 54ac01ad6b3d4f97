"""Runs the learner's file in a process of its own, so that it may hang, crash or call sys.exit."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minigpt_fixture.errors import require

__all__ = ["Outcome", "lint", "run_file"]

SECONDS = 120


@dataclass(frozen=True)
class Outcome:
    """`answer` as `examine` gives it, or of the kind `timeout` or `crash`; `printed` is the file's own output."""

    answer: dict[str, Any]
    printed: str

    @property
    def kind(self) -> str:
        return str(self.answer["kind"])


def run_file(mode: str, break_name: str, file: Path, *, seconds: float = SECONDS) -> Outcome:
    """Raises UsageError if a package is missing."""
    require("torch", "numpy")
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = [sys.executable, "-m", "minigpt_fixture.lesson.examine", mode, break_name, str(file)]
        try:
            process = subprocess.run(
                [*command, str(result)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=seconds,
            )
        except subprocess.TimeoutExpired:
            return Outcome({"kind": "timeout", "seconds": seconds}, "")
        if not result.exists():
            return Outcome({"kind": "crash", "code": process.returncode}, process.stdout)
        return Outcome(json.loads(result.read_text(encoding="utf-8")), process.stdout)


def lint(file: Path) -> str:
    """The linter's lines for the file, without the summary."""
    command = [sys.executable, "-m", "inplace_guard", "check", "--isolated", "--no-cache", "--format", "concise"]
    process = subprocess.run([*command, str(file)], capture_output=True, text=True)
    return "\n".join(row for row in process.stdout.splitlines() if row.startswith(str(file)))
