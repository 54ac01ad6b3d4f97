"""`inplace-guard check` and flake8 report the same, on code that has findings and on code that nobody here wrote."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def lines(*command: str) -> set[str]:
    process = subprocess.run(
        [sys.executable, "-m", *command], capture_output=True, text=True, check=False, cwd=ROOT, timeout=1200
    )
    assert process.returncode in (0, 1), process.stderr
    assert not process.stderr or "could not be analysed to the end" in process.stderr
    return set(process.stdout.splitlines())


def both(*paths: str) -> tuple[set[str], set[str]]:
    """What flake8 reports and what check reports. flake8 knows no .gitignore, and takes no notebooks."""
    by_flake8 = lines("flake8", "--isolated", "--jobs", "2", "--select", "IPG", "--exclude", ".git", *paths)
    options = ["--isolated", "--no-respect-gitignore", "--exclude", ".git,*.ipynb", "--no-cache", "--format", "concise"]
    return by_flake8, lines("inplace_guard", "check", "--jobs", "2", *options, *paths)


@pytest.mark.parametrize("path", ["src", pytest.param("tests/corpus", marks=pytest.mark.slow)])
def test_on_our_own_code(path: str) -> None:
    by_flake8, by_check = both(path)
    assert by_check == by_flake8
    assert by_check


@pytest.mark.slow
@pytest.mark.parametrize(
    ("package", "pattern", "files", "findings"),
    [
        ("torch", "nn", 100, 0),
        ("torch", "optim", 20, 0),
        ("torch", "distributed", 300, 0),
        ("transformers", "models/e*", 100, 2),  # a share: flake8 takes ten minutes for all of its models
        ("transformers", "models/s[ae]*", 80, 4),
    ],
)
def test_on_an_installed_package(package: str, pattern: str, files: int, findings: int) -> None:
    """At least so many files, and findings: what is equal is not nothing."""
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    folders = sorted(path for path in Path(spec.origin).parent.glob(pattern) if path.is_dir())
    assert sum(1 for folder in folders for _ in folder.rglob("*.py")) >= files
    by_flake8, by_check = both(*map(str, folders))
    assert by_check == by_flake8
    assert len(by_check) >= findings
