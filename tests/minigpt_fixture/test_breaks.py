"""Each break does in PyTorch what the registry says of it."""

from __future__ import annotations

import re
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch

import minigpt_fixture.breaks
from minigpt_fixture.case import LEARNING_RATE, build_case
from minigpt_fixture.measure import StepResult, run_step
from minigpt_fixture.model import MiniGPT
from minigpt_fixture.registry import BREAKS, CONTROL, Break, UnknownBreak, get, load

ALL = list(BREAKS.values())
SAME_FUNCTION = [b for b in ALL if b.name not in {"relu-saved", "relu-after-linear"}]


def by_name(entries: list[Break], outcome: str | None = None) -> Any:
    return pytest.mark.parametrize("entry", [b for b in entries if outcome in (None, b.outcome)], ids=lambda b: b.name)


@pytest.fixture(scope="module")
def control() -> StepResult:
    return run_step(CONTROL)


def test_every_file_is_registered_and_every_entry_has_a_file() -> None:
    files = {p.stem for p in Path(minigpt_fixture.breaks.__file__).parent.glob("*.py")} - {"__init__"}
    assert files == {name.replace("-", "_") for name in BREAKS}
    assert {b.outcome for b in ALL} == {"raises", "silent", "safe"}


@by_name(ALL, "raises")
def test_backward_raises(entry: Break) -> None:
    case = build_case(entry.name)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        case.trainer.training_step(*case.batch)


@by_name(ALL, "silent")
def test_completes_with_the_controls_loss_and_other_gradients(entry: Break, control: StepResult) -> None:
    step = run_step(entry.name)
    assert step.error is None
    assert step.loss == pytest.approx(control.loss, abs=1e-6)
    assert step.missing() or step.differing(control, rtol=1e-2)


def test_data_add_leaves_the_blocks_without_gradient() -> None:
    step = run_step("data-add")
    assert set(step.missing()) == {name for name in step.gradients if name.startswith("blocks.")}


@by_name(ALL, "safe")
def test_gradients_are_those_of_the_out_of_place_twin(entry: Break) -> None:
    step, twin = run_step(entry.name), run_step(entry.name, repaired=True)
    assert step.error is None
    assert step.loss == twin.loss
    assert step.missing() == step.differing(twin, rtol=0, atol=0) == []


@by_name(ALL)
def test_the_fix_writes_nothing_in_place_and_trains(entry: Break) -> None:
    step = run_step(entry.name, repaired=True)
    assert step.error is None
    assert step.missing() == []


@by_name(SAME_FUNCTION)
def test_the_fix_gives_the_controls_gradients(entry: Break, control: StepResult) -> None:
    step = run_step(entry.name, repaired=True)
    assert step.differing(control, rtol=1e-4) == []


@by_name(ALL)
def test_lines_are_those_of_the_writes(entry: Break) -> None:
    rows = entry.source.splitlines()
    assert len(entry.lines) == len(entry.writes) >= 1
    for line, text in zip(entry.lines, entry.writes, strict=True):
        assert rows[line - 1].strip() == text
        assert re.search(r"_\(|/=|\.step\(\)", text)


@by_name(ALL)
def test_file_does_not_give_itself_away(entry: Break) -> None:
    """Names and comments in the code say what the code is for, not what is wrong with it."""
    code = entry.source.split('"""', 2)[2]
    assert not re.search(r"hazard|wrong|bad|break|broken|inplace|in_place|IPG|noqa", code)


def block_from(source: str) -> Mapping[str, Any]:
    module = types.ModuleType("changed")
    exec(compile(source, "changed.py", "exec"), vars(module))
    return vars(module)


def gradients_of(names: Mapping[str, Any]) -> StepResult:
    case = build_case()
    torch.manual_seed(0)
    model = MiniGPT(block=names["Block"])
    model.load_state_dict(case.model.state_dict())
    loss = case.loss_fn(model(case.batch.tokens), case.batch.targets)
    loss.backward()
    return StepResult(loss.item(), {name: p.grad for name, p in model.named_parameters()}, None)


def test_note_of_checkpoint_closure_rebinding_is_as_wrong(control: StepResult) -> None:
    source = get("checkpoint-closure").source.replace("h.add_(checkpoint(", "h = h + (checkpoint(")
    step = gradients_of(block_from(source))
    assert step.loss == control.loss
    assert step.differing(control, rtol=1e-2)


def test_note_of_ctx_norm_saving_properly_raises() -> None:
    source = get("ctx-norm").source
    source = source.replace(
        "ctx.x = x\n        ctx.save_for_backward(mean, rstd, weight)", "ctx.save_for_backward(x, mean, rstd, weight)"
    )
    source = source.replace(
        "mean, rstd, weight = ctx.saved_tensors", "x, mean, rstd, weight = ctx.saved_tensors"
    ).replace("ctx.x", "x")
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        gradients_of(block_from(source))


def test_note_of_fused_step_unfused_raises() -> None:
    source = get("fused-step").source.replace(", fused=True", "")
    case = build_case()
    trainer = block_from(source)["Trainer"](case.model, LEARNING_RATE)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        trainer.training_step(*case.batch)


def test_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UnknownBreak, match=r"no break 'nope'.*none, residual-add"):
        load("nope")
    with pytest.raises(UnknownBreak):
        build_case("nope")
