"""On programs that leave no doubt, the linter says what PyTorch does."""

from __future__ import annotations

import random

import pytest
import torch

from .tensor_programs import Verdict, Writer, judge, smallest


def verdict_on(seed: int) -> Verdict:
    torch.manual_seed(seed)
    lines = Writer(random.Random(seed)).program()
    verdict = judge(lines)
    if verdict.kind:
        pytest.fail(f"seed {seed}: {verdict.kind}\n{judge(smallest(lines, verdict.kind)).text}", pytrace=False)
    return verdict


@pytest.mark.parametrize("part", range(6))
def test_random_programs(part: int) -> None:
    verdicts = [verdict_on(seed) for seed in range(100 * part, 100 * (part + 1))]
    # The comparison means little if PyTorch seldom raises, or raises for other reasons.
    assert sum(verdict.valid for verdict in verdicts) > 65
    assert 15 < sum(verdict.raised for verdict in verdicts) < 60


@pytest.mark.slow
@pytest.mark.parametrize("part", range(40))
def test_many_random_programs(part: int) -> None:
    for seed in range(1000 * (part + 1), 1000 * (part + 2)):
        verdict_on(seed)
