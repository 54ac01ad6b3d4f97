"""A failed backward: the three lines, for every way to write."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .programs_raising import OPTIMIZERS, RAISING


@pytest.mark.parametrize("name", RAISING)
def test_the_three_lines_are_named(name: str, expect_hazard: Callable[..., object]) -> None:
    code, source = RAISING[name]
    expect_hazard(source, code)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_an_optimizer_step_is_named_as_such(name: str, run: Callable[..., object]) -> None:
    outcome = run(OPTIMIZERS[name])
    assert outcome.wrote == outcome.marked["wrote"]
    assert "IPG107" in outcome.codes or "LBFGS" in name


@pytest.mark.parametrize("name", [*RAISING, *OPTIMIZERS])
def test_the_error_stays_what_it_was(name: str, run: Callable[..., object]) -> None:
    source = RAISING[name][1] if name in RAISING else OPTIMIZERS[name]
    plain, guarded = run(source, guarded=False), run(source)
    assert type(guarded.error) is type(plain.error) is RuntimeError
    assert guarded.text.split("\n")[0] == plain.text.split("\n")[0]
    assert "inplace-guard:" in guarded.text
