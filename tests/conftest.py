"""Fixtures that several parts of the suite share."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest


@pytest.fixture
def python_imports() -> Callable[[str], set[str]]:
    """Imports a module in a new interpreter and tells the top-level packages that came with it."""

    def run(module: str) -> set[str]:
        code = f"import sys; import {module}; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
        return set(
            subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
        )

    return run
