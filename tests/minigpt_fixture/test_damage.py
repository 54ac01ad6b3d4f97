"""The trainings behind the damage table: what is compared with what, and that nothing but the seed decides them."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from minigpt_fixture import plots
from minigpt_fixture.case import LEARNING_RATE, build_case
from minigpt_fixture.damage import (
    TWO_STEPS,
    Damage,
    TwoStepTrainer,
    control_of,
    measure_damage,
    read_damage,
    train_in_memory,
    write_damage,
)
from minigpt_fixture.errors import UsageError
from minigpt_fixture.measure import run_step
from minigpt_fixture.registry import BREAKS
from minigpt_fixture.sections import damage_table, gradient_errors, growth
from minigpt_fixture.training import HeldOut

SILENT = [entry.name for entry in BREAKS.values() if entry.outcome == "silent"]


@pytest.fixture(scope="module")
def found() -> list[Damage]:
    return measure_damage(2, 2, processes=2)


def test_the_control_with_two_steps_has_the_gradients_of_the_repaired_break() -> None:
    case = build_case()
    TwoStepTrainer(case.model, LEARNING_RATE).training_step(*case.batch)
    wanted = run_step("fused-step", repaired=True)
    for name, p in case.model.named_parameters():
        torch.testing.assert_close(p.grad, wanted.gradients[name])


def test_the_control_with_two_steps_is_the_break_where_nothing_is_overwritten() -> None:
    """With a learning rate of zero the first step changes no weight, and the two must agree; otherwise they do not."""
    results = []
    for lr in (0.0, LEARNING_RATE):
        ours, theirs = build_case(), build_case("fused-step")
        theirs.trainer.optimizer.param_groups[0]["lr"] = lr
        TwoStepTrainer(ours.model, lr).training_step(*ours.batch)
        theirs.trainer.training_step(*theirs.batch)
        pairs = zip(ours.model.parameters(), theirs.model.parameters(), strict=True)
        results.append(all(torch.allclose(a.grad, b.grad, rtol=1e-4, atol=1e-7) for a, b in pairs))
    assert results == [True, False]


def test_it_takes_as_many_steps_as_the_break() -> None:
    ours, theirs = build_case(), build_case("fused-step")
    trainer = TwoStepTrainer(ours.model, LEARNING_RATE)
    for _ in range(3):
        trainer.training_step(*ours.batch)
        theirs.trainer.training_step(*theirs.batch)
    counts = [
        {int(state["step"]) for state in optimizer.state.values()}
        for optimizer in (trainer.optimizer, theirs.trainer.optimizer)
    ]
    assert counts == [{6}, {6}]


def test_each_break_has_its_control(found: list[Damage]) -> None:
    assert {control_of(name) for name in SILENT} == {"none", TWO_STEPS}
    assert [name for name in SILENT if control_of(name) == TWO_STEPS] == ["fused-step"]
    names = [damage.name for damage in found]
    assert sorted(names) == sorted(["none", TWO_STEPS, *SILENT])
    assert all(damage.at == (1, 2) and len(damage.results) == 2 for damage in found)


def test_processes_change_nothing(found: list[Damage]) -> None:
    damage = next(d for d in found if d.name == "data-add")
    assert damage.results[1] == train_in_memory("data-add", (1, 2), 1)


def test_results_are_written_and_read(found: list[Damage], tmp_path: Path) -> None:
    write_damage(tmp_path / "below" / "damage.json", found)
    assert read_damage(tmp_path / "below" / "damage.json") == found
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot write"):
        write_damage(tmp_path / "file" / "damage.json", found)


def test_a_row_compares_with_its_control() -> None:
    def damage(name: str, losses: tuple[float, float]) -> Damage:
        return Damage(name, (1,), tuple((HeldOut(loss, 0.5, 1),) for loss in losses))

    names = {"none": (2.0, 3.0), "data-add": (2.5, 2.9), TWO_STEPS: (1.0, 1.0), "fused-step": (1.25, 1.25)}
    rows = damage_table([damage(name, losses) for name, losses in names.items()]).splitlines()[2:]
    assert "+0.200 ± 0.424" in rows[1]
    assert "1 of 2 seeds" in rows[1]
    assert "+0.250 ± 0.000" in rows[3]
    assert "2 of 2 seeds" in rows[3]


def test_plots_repeat_and_know_their_data(found: list[Damage]) -> None:
    makers = {
        plots.damage_plot: found,
        plots.curves_plot: found,
        plots.growth_plot: growth(),
        plots.gradients_plot: gradient_errors(),
    }
    for make, data in makers.items():
        first, second = (plots.svg(make(data), data) for _ in range(2))
        assert first == second
        assert plots.digest(data) in first
        assert "<dc:date>" not in first
