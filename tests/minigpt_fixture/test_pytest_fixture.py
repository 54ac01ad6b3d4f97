"""The fixture `minigpt`, in a suite of its own and in this one."""

from __future__ import annotations

import pytest

from minigpt_fixture.case import MiniGPTCase

pytest_plugins = ["pytester"]

SUITE = """
def test_step(minigpt):
    tokens, targets = minigpt.batch
    loss = minigpt.loss_fn(minigpt.model(tokens), targets)
    loss.backward()
    assert all(p.grad is not None for p in minigpt.model.parameters())
"""


def test_model_batch_and_loss(minigpt: MiniGPTCase) -> None:
    tokens, targets = minigpt.batch
    minigpt.loss_fn(minigpt.model(tokens), targets).backward()
    assert all(p.grad is not None for p in minigpt.model.parameters())


def test_in_another_suite(pytester: pytest.Pytester) -> None:
    pytester.makeconftest('pytest_plugins = ["minigpt_fixture.pytest_fixtures"]')
    pytester.makepyfile(SUITE)
    pytester.runpytest_subprocess("-q").assert_outcomes(passed=1)
