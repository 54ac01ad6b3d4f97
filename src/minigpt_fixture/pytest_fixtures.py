"""The pytest fixture `minigpt`: `pytest_plugins = ["minigpt_fixture.pytest_fixtures"]` in a conftest.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from minigpt_fixture.case import MiniGPTCase


@pytest.fixture
def minigpt() -> MiniGPTCase:
    """The control with seed 0: `.model`, `.batch` (tokens, targets), `.loss_fn(logits, targets)`, `.trainer`."""
    from minigpt_fixture.case import build_case

    return build_case()
