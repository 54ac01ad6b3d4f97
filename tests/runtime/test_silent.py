"""Hazards that PyTorch does not notice: an error before the backward, or an entry in the list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inplace_guard.runtime.errors import InplaceHazardError

from . import programs_silent_more as more
from .programs_silent import LISTED, SILENT


@pytest.mark.parametrize("name", [*SILENT, *more.SILENT])
def test_a_silent_hazard_raises_and_names_its_line(name: str, expect_hazard: Callable[..., Any]) -> None:
    code, source = {**more.SILENT, **SILENT}[name]
    outcome = expect_hazard(source, code)
    assert isinstance(outcome.error, InplaceHazardError)
    assert outcome.error.findings == tuple(outcome.findings)


@pytest.mark.parametrize("name", SILENT)
def test_without_the_guard_it_is_silent(name: str, run: Callable[..., Any]) -> None:
    assert run(SILENT[name][1], guarded=False).error is None


@pytest.mark.parametrize("name", [*LISTED, *more.LISTED])
def test_what_shows_at_the_write_is_listed(name: str, run: Callable[..., Any]) -> None:
    code, source = {**more.LISTED, **LISTED}[name]
    outcome = run(source)
    assert outcome.error is None
    assert set(outcome.codes) == {code}
    assert outcome.wrote == outcome.marked["wrote"]


@pytest.mark.parametrize("name", LISTED)
def test_what_is_listed_raises_if_asked(name: str, run: Callable[..., Any]) -> None:
    code, source = LISTED[name]
    if name == "losses copied into a tensor":
        pytest.skip("shows only when the backward runs, and may be meant: listed there, whatever is asked")
    error = run(source, raise_on=code).error
    assert isinstance(error, RuntimeError)
    assert code in str(error)  # load_state_dict puts the text into an error of its own


@pytest.mark.parametrize("name", SILENT)
def test_an_allowed_code_is_left_alone(name: str, run: Callable[..., Any]) -> None:
    code, source = SILENT[name]
    outcome = run(source, allow=code)
    assert outcome.error is None
    assert outcome.findings == []
