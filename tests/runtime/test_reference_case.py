"""The broken mini-GPTs: the guard names the hazardous line of each, and lets the control and the safe ones be."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from inplace_guard import InplaceHazardError, guard
from minigpt_fixture.case import MiniGPTCase, build_case
from minigpt_fixture.registry import BREAKS

HARMFUL = [name for name, known in BREAKS.items() if known.outcome != "safe"]
SAFE = ["none", *(name for name, known in BREAKS.items() if known.outcome == "safe")]


def gradients(case: MiniGPTCase) -> list[torch.Tensor | None]:
    case.trainer.training_step(*case.batch)
    return [p.grad for p in case.model.parameters()]


@pytest.mark.parametrize("name", HARMFUL)
def test_the_hazard_is_named_at_its_line(name: str) -> None:
    known = BREAKS[name]
    case = build_case(name)
    with guard() as watch, pytest.raises(RuntimeError) as caught:
        case.trainer.training_step(*case.batch)
    assert isinstance(caught.value, InplaceHazardError) is (known.outcome == "silent")
    lines = known.source.split("\n")
    hazardous = {
        number
        for number, line in enumerate(lines, 1)
        for text in known.writes
        if text.strip() and text.strip().split("\n")[0] in line
    }
    assert {finding.write.line for finding in watch.findings} <= hazardous
    assert watch.findings
    assert all(finding.write.path == str(known.file) for finding in watch.findings)
    assert known.code in {finding.code for finding in watch.findings}


@pytest.mark.parametrize("name", SAFE)
def test_the_control_and_the_safe_ones_are_left_alone(name: str) -> None:
    plain = gradients(build_case(name))
    case = build_case(name)
    with guard() as watch:
        guarded = gradients(case)
    assert watch.findings == []
    assert all(same(one, other) for one, other in zip(plain, guarded, strict=True))


@pytest.mark.parametrize("name", HARMFUL)
def test_the_repaired_ones_are_right(name: str) -> None:
    plain = gradients(build_case(name, repaired=True))
    case = build_case(name, repaired=True)
    with guard() as watch:
        guarded = gradients(case)
    assert watch.findings == []
    assert all(same(one, other) for one, other in zip(plain, guarded, strict=True))


def same(one: Any, other: Any) -> bool:
    return one is other if one is None or other is None else torch.equal(one, other)


def test_the_classic_in_full(minigpt: MiniGPTCase) -> None:
    case = build_case("residual-add")
    with guard() as watch, pytest.raises(RuntimeError, match="is at version 4; expected version 3"):
        case.trainer.training_step(*case.batch)
    modules = {(found.saved.module, found.write.module) for found in watch.findings if found.saved}
    assert modules == {("blocks.1.ln1", "blocks.1"), ("blocks.1.ln2", "blocks.1")}
    assert minigpt.model is not case.model
