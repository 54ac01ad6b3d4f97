"""On programs that leave no doubt, the linter says what PyTorch does."""

from __future__ import annotations

import random

import pytest
import torch

from .tensor_programs import Verdict, Writer, judge, smallest


def program(seed: int) -> list[str]:
    torch.manual_seed(seed)
    return Writer(random.Random(seed)).program()


def why(lines: list[str], verdict: Verdict) -> str:
    return f"{verdict.kind}\n{judge(smallest(lines, verdict.kind)).text}"


@pytest.mark.parametrize("part", range(6))
def test_random_programs(part: int) -> None:
    verdicts = []
    for seed in range(100 * part, 100 * (part + 1)):
        lines = program(seed)
        verdicts.append(verdict := judge(lines))
        if verdict.kind:
            pytest.fail(f"seed {seed}: {why(lines, verdict)}", pytrace=False)
    # The comparison means little if PyTorch seldom raises, or raises for other reasons.
    assert sum(verdict.valid for verdict in verdicts) > 90
    assert 10 < sum(verdict.raised for verdict in verdicts) < 60


@pytest.mark.slow
@pytest.mark.parametrize("part", range(1, 31))
def test_of_many_random_programs_next_to_none_is_told_wrong(part: int) -> None:
    wrong = []
    for seed in range(1000 * part, 1000 * (part + 1)):
        lines = program(seed)
        verdict = judge(lines)
        if verdict.kind:
            wrong.append(f"seed {seed}: {why(lines, verdict)}")
    assert len(wrong) <= 2, "\n".join(wrong)
