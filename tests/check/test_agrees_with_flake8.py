"""`inplace-guard check` and flake8 report the same, on code that has findings and on code that nobody here wrote."""

from __future__ import annotations

import importlib.util
import os
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


def both(path: str) -> tuple[set[str], set[str]]:
    """What flake8 reports and what check reports. flake8 knows no .gitignore, and takes no notebooks."""
    by_flake8 = lines("flake8", "--isolated", "--select", "IPG", "--exclude", ".git", path)
    options = ["--isolated", "--no-respect-gitignore", "--exclude", ".git,*.ipynb", "--no-cache", "--format", "concise"]
    return by_flake8, lines("inplace_guard", "check", *options, path)


@pytest.mark.parametrize("path", ["src", pytest.param("tests/corpus", marks=pytest.mark.slow)])
def test_on_our_own_code(path: str) -> None:
    by_flake8, by_check = both(path)
    assert by_check == by_flake8
    assert by_check


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["torch/nn", "torch/optim", "torch/distributed", "transformers/models"])
def test_on_an_installed_package(folder: str) -> None:
    package, _, rest = folder.partition("/")
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    by_flake8, by_check = both(os.path.join(os.path.dirname(spec.origin), rest))
    assert by_check == by_flake8
