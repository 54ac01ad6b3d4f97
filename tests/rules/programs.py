"""Running the programs of the catalogue: what they print, warn of and raise."""

from __future__ import annotations

import contextlib
import functools
import io
import re
import runpy
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path

import inplace_guard
from inplace_guard import rules
from inplace_guard.findings import Finding

FOLDER = tempfile.TemporaryDirectory(prefix="inplace-guard-rules-")
NUMBER = re.compile(r"-?\d+\.\d*|-?\d+")


@dataclass(frozen=True)
class Outcome:
    printed: str
    warned: tuple[str, ...]
    error: str | None  # as the last line of a traceback shows it
    findings: tuple[Finding, ...] = ()


def path_of(program: str, name: str) -> Path:
    path = Path(FOLDER.name, f"{name}.py")
    path.write_text(program, encoding="utf-8")
    return path


def run(program: str, name: str, *, guarded: bool = False) -> Outcome:
    """Run a program as a script."""
    path = path_of(program, name)
    printed, error = io.StringIO(), None
    guard = inplace_guard.guard() if guarded else None
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(printed):
        warnings.simplefilter("always")
        try:
            with guard or contextlib.nullcontext():
                runpy.run_path(str(path), run_name="__main__")
        except Exception as raised:
            error = f"{type(raised).__name__}: {raised}"
    return Outcome(
        printed.getvalue(),
        tuple(f"{w.category.__name__}: {w.message}" for w in caught),
        error,
        tuple(guard.findings) if guard is not None else (),
    )


@functools.cache
def outcome(code: str, kind: str, guarded: bool = False) -> Outcome:
    """What the `bad` or `good` program of a rule does; each is run once."""
    return run(getattr(rules.CATALOGUE[code], kind), f"{code}_{kind}", guarded=guarded)


def marked_lines(rule: rules.Rule) -> set[int]:
    return {n for n, line in enumerate(rule.bad.splitlines(), 1) if line.endswith(f"  # <- {rule.code}")}


def promised(program: str) -> list[str]:
    """What the comments behind its prints say that a program prints."""
    return re.findall(r"^\s*print\(.*\)  # (.*)$", program, re.MULTILINE)


def numbers(text: str) -> list[float]:
    return [float(number) for number in NUMBER.findall(text)]


def plain(text: str) -> str:
    return " ".join(text.split())
