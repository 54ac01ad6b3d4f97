"""`train` on disk: what it writes, that it repeats, that it learns, and what it says when backward raises."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from minigpt_fixture.errors import UsageError
from minigpt_fixture.measure import run_step
from minigpt_fixture.training import BackwardRaised, TrainOptions, train


def config_of(folder: Path) -> dict:
    return json.loads((folder / "config.json").read_text())


def losses_of(folder: Path) -> list[float]:
    rows = [json.loads(line) for line in (folder / "losses.jsonl").read_text().splitlines()]
    assert [row["step"] for row in rows] == list(range(1, len(rows) + 1))
    return [row["loss"] for row in rows]


def test_writes_a_complete_run(tmp_path: Path) -> None:
    steps: list[int] = []
    held_out = train(TrainOptions(tmp_path / "a" / "b", steps=3), lambda step, loss: steps.append(step))
    folder = tmp_path / "a" / "b"
    assert sorted(p.name for p in folder.iterdir()) == [
        "config.json",
        "gradients.safetensors",
        "losses.jsonl",
        "weights.safetensors",
    ]
    config = config_of(folder)
    assert config["status"] == "finished"
    assert config["model"]["vocab_size"] == 512
    assert config["held_out"]["loss"] == held_out.loss
    assert steps == [1, 2, 3]
    assert len(losses_of(folder)) == 3
    weights = load_file(folder / "weights.safetensors")
    assert {name: list(t.shape) for name, t in weights.items()} == config["parameters"]


def test_gradients_are_those_of_the_first_step(tmp_path: Path) -> None:
    train(TrainOptions(tmp_path / "a", steps=2, seed=3))
    expected = run_step("none", seed=3)
    written = load_file(tmp_path / "a" / "gradients.safetensors")
    assert written.keys() == expected.gradients.keys()
    assert all(torch.equal(written[name], g) for name, g in expected.gradients.items() if g is not None)


def test_a_seed_repeats_bit_for_bit_and_another_differs(tmp_path: Path) -> None:
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        torch.randn(seed + 5)  # whatever the random state is
        train(TrainOptions(tmp_path / name, steps=5, seed=seed))
    a, b, c = (losses_of(tmp_path / name) for name in "abc")
    assert a == b != c
    assert (tmp_path / "a" / "weights.safetensors").read_bytes() == (
        tmp_path / "b" / "weights.safetensors"
    ).read_bytes()


def test_control_learns(tmp_path: Path) -> None:
    untrained = train(TrainOptions(tmp_path / "a", steps=1))
    trained = train(TrainOptions(tmp_path / "a", steps=300))
    assert untrained.loss > 6
    assert trained.loss < 4
    assert trained.accuracy > 5 * untrained.accuracy


@pytest.mark.parametrize("detect_anomaly", [False, True])
def test_raising_break(tmp_path: Path, detect_anomaly: bool) -> None:
    with pytest.raises(BackwardRaised, match="modified by an inplace operation") as caught:
        train(TrainOptions(tmp_path, "residual-add", steps=5, detect_anomaly=detect_anomaly))
    assert caught.value.step == 1
    stack = caught.value.forward_stack or ""
    assert ("residual_add.py" in stack) == detect_anomaly
    config = config_of(tmp_path)
    assert config["status"] == "raised"
    assert config["raised_at_step"] == 1
    assert "modified by an inplace operation" in config["error"]
    assert losses_of(tmp_path) == []
    assert not (tmp_path / "gradients.safetensors").exists()


def test_anomaly_mode_changes_no_gradient_of_the_control(tmp_path: Path) -> None:
    train(TrainOptions(tmp_path / "a", steps=2))
    train(TrainOptions(tmp_path / "b", steps=2, detect_anomaly=True))
    assert (tmp_path / "a/weights.safetensors").read_bytes() == (tmp_path / "b/weights.safetensors").read_bytes()


def test_an_older_run_is_replaced_completely(tmp_path: Path) -> None:
    train(TrainOptions(tmp_path, steps=2))
    with pytest.raises(BackwardRaised):
        train(TrainOptions(tmp_path, "exp-saved", steps=2))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["config.json", "losses.jsonl"]


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(UsageError, match="is not empty and is not a run"):
        train(TrainOptions(tmp_path, steps=1))
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.tex"]


def test_out_that_is_a_file_is_a_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot write to"):
        train(TrainOptions(tmp_path / "file", steps=1))


def test_an_interrupted_run_says_so(tmp_path: Path) -> None:
    def stop(step: int, loss: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(TrainOptions(tmp_path, steps=3), stop)
    assert config_of(tmp_path)["status"] == "interrupted"
    assert len(losses_of(tmp_path)) == 1
