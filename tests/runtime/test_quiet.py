"""What is right stays as it is: no findings, and every number the same to the last bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from .programs_quiet import QUIET
from .programs_quiet_more import QUIET as MORE


@pytest.mark.parametrize("name", [*QUIET, *MORE])
def test_right_programs_are_left_alone(name: str, expect_quiet: Callable[..., Any]) -> None:
    assert expect_quiet({**MORE, **QUIET}[name]).value is not None


@pytest.mark.parametrize("name", QUIET)
def test_comparing_contents_changes_nothing(name: str, expect_quiet: Callable[..., Any]) -> None:
    expect_quiet(QUIET[name], content=True)


@pytest.mark.parametrize("name", QUIET)
def test_nor_does_fail_fast(name: str, expect_quiet: Callable[..., Any]) -> None:
    expect_quiet(QUIET[name], mode="fail-fast")
