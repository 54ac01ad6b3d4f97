"""grad-compare: verdicts, tolerances, bad input."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from minigpt_fixture.compare import Row, compare, remark
from minigpt_fixture.errors import UsageError
from minigpt_fixture.runs import read
from minigpt_fixture.training import BackwardRaised, TrainOptions, train


def compare_folders(a: Path, b: Path, **tolerances: float) -> list[Row]:
    return compare(read(a), read(b), **tolerances)


@pytest.fixture(scope="module")
def control(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "control"
    train(TrainOptions(folder, steps=1))
    return folder


@pytest.fixture
def copy(control: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(control, tmp_path / "copy"))


def change(folder: Path, name: str, value: torch.Tensor | None) -> None:
    gradients = load_file(folder / "gradients.safetensors")
    gradients.pop(name)
    if value is not None:
        gradients[name] = value
    save_file(gradients, folder / "gradients.safetensors")


def test_a_run_equals_itself(control: Path) -> None:
    rows = compare_folders(control, control)
    assert len(rows) == 38
    assert {row.verdict for row in rows} == {"equal"}
    assert {row.max_difference for row in rows} == {0}
    assert all(row.cosine == pytest.approx(1, abs=1e-5) for row in rows)


def test_one_changed_gradient(control: Path, copy: Path) -> None:
    before = load_file(control / "gradients.safetensors")["head.bias"]
    change(copy, "head.bias", -2 * before)
    (row,) = [row for row in compare_folders(control, copy) if row.verdict != "equal"]
    assert (row.name, row.verdict) == ("head.bias", "differs")
    assert row.norm_b == pytest.approx(2 * row.norm_a)
    assert row.max_difference == pytest.approx(3 * before.abs().max().item())
    assert row.cosine == pytest.approx(-1)


def test_missing_on_either_side_and_on_both(control: Path, copy: Path) -> None:
    change(copy, "ln_f.weight", None)
    for a, b in ((control, copy), (copy, control)):
        (row,) = [row for row in compare_folders(a, b) if row.verdict != "equal"]
        assert (row.name, row.verdict, row.max_difference) == ("ln_f.weight", "missing", None)
    assert {row.verdict for row in compare_folders(copy, copy)} == {"equal"}


def test_tolerance(control: Path, copy: Path) -> None:
    change(copy, "head.bias", load_file(control / "gradients.safetensors")["head.bias"] * 1.01)
    assert {row.verdict for row in compare_folders(control, copy, rtol=0.02)} == {"equal"}
    assert {row.verdict for row in compare_folders(control, copy, rtol=0.005)} == {"equal", "differs"}


def test_nan_is_never_equal(control: Path, copy: Path) -> None:
    change(copy, "head.bias", torch.full((512,), math.nan))
    verdicts = {row.name: row.verdict for row in compare_folders(control, copy)}
    assert verdicts["head.bias"] == "differs"


def test_zero_gradient_has_no_cosine(control: Path, copy: Path) -> None:
    change(copy, "head.bias", torch.zeros(512))
    (row,) = [row for row in compare_folders(control, copy) if row.name == "head.bias"]
    assert (row.cosine, row.verdict) == (None, "differs")


def test_silent_break_and_its_fix(control: Path, tmp_path: Path) -> None:
    train(TrainOptions(tmp_path / "a", "data-add", steps=1))
    train(TrainOptions(tmp_path / "b", "data-add", steps=1, repaired=True))
    verdicts = [row.verdict for row in compare_folders(control, tmp_path / "a")]
    assert (verdicts.count("missing"), verdicts.count("differs"), verdicts.count("equal")) == (32, 2, 4)
    assert {row.verdict for row in compare_folders(control, tmp_path / "b")} == {"equal"}


def set_config(folder: Path, **values: object) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def test_other_start(control: Path, copy: Path) -> None:
    set_config(copy, seed=7)
    with pytest.raises(UsageError, match="cannot be compared: another seed: 0 and 7"):
        compare_folders(control, copy)
    set_config(copy, seed=0, model={"d_model": 32})
    with pytest.raises(UsageError, match="another model"):
        compare_folders(control, copy)


def test_bad_folders(control: Path, copy: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such folder"):
        compare_folders(control, tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="is not a run"):
        compare_folders(tmp_path / "empty", control)
    (copy / "gradients.safetensors").write_bytes(b"\xff" * 40)
    with pytest.raises(UsageError, match=r"cannot read .*gradients.safetensors"):
        compare_folders(control, copy)
    (copy / "config.json").write_text("{")
    with pytest.raises(UsageError, match="is not JSON"):
        compare_folders(control, copy)
    (copy / "config.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(UsageError, match="is not JSON"):
        compare_folders(control, copy)
    (copy / "config.json").write_text('{"format": 99}')
    with pytest.raises(UsageError, match="not written by this version"):
        compare_folders(control, copy)
    (copy / "config.json").write_text('{"format": 1}')
    with pytest.raises(UsageError, match="lacks break"):
        compare_folders(control, copy)


def test_a_run_whose_backward_raised(control: Path, tmp_path: Path) -> None:
    with pytest.raises(BackwardRaised):
        train(TrainOptions(tmp_path, "residual-add", steps=1))
    with pytest.raises(UsageError, match=r"no gradients to compare: its backward raised .break 'residual-add'"):
        compare_folders(control, tmp_path)


def test_gradients_of_another_run(control: Path, copy: Path) -> None:
    change(copy, "head.bias", torch.zeros(4))
    with pytest.raises(UsageError, match=r"is not of the run in config.json, which has no parameter head\.bias \[4\]"):
        compare_folders(control, copy)
    gradients = load_file(control / "gradients.safetensors")
    save_file({**gradients, "extra": torch.zeros(1)}, copy / "gradients.safetensors")
    with pytest.raises(UsageError, match=r"has no parameter extra \[1\]"):
        compare_folders(copy, copy)


def test_parameters_that_are_none(control: Path, copy: Path) -> None:
    set_config(copy, parameters=5)
    with pytest.raises(UsageError, match="its parameters are not names with shapes"):
        compare_folders(control, copy)


def test_another_torch_is_a_remark(control: Path, copy: Path) -> None:
    assert remark(read(control), read(copy)) is None
    set_config(copy, torch="2.1.0")
    assert {row.verdict for row in compare_folders(control, copy)} == {"equal"}
    assert "with torch 2.1.0: rounding may differ" in remark(read(control), read(copy))


def test_a_full_disk_is_a_clear_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import safetensors.torch

    def full(*args: object) -> None:
        raise safetensors.SafetensorError("I/O error: No space left on device (os error 28)")

    monkeypatch.setattr(safetensors.torch, "save_file", full)
    with pytest.raises(UsageError, match=r"cannot write .*gradients.safetensors: .*No space left"):
        train(TrainOptions(tmp_path, steps=1))
