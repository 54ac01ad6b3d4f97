"""One training step of the mini-GPT, once a break. Run them under the guard:

    pytest -p inplace_guard examples/test_breaks.py

Those that raise fail, with the line that wrote, the line that saved and the backward that needed the tensor.
The control and the safe ones pass.
"""

from minigpt_fixture.case import build_case


def training_step(name: str) -> None:
    case = build_case(name)
    loss = case.trainer.training_step(*case.batch)
    assert loss.isfinite()


def test_control() -> None:
    training_step("none")


def test_residual_add() -> None:
    training_step("residual-add")


def test_clone_before_norm() -> None:
    training_step("clone-before-norm")


def test_relu_saved() -> None:
    training_step("relu-saved")


def test_exp_saved() -> None:
    training_step("exp-saved")


def test_checkpoint_input() -> None:
    training_step("checkpoint-input")


def test_data_add() -> None:
    training_step("data-add")


def test_numpy_view() -> None:
    training_step("numpy-view")


def test_checkpoint_closure() -> None:
    training_step("checkpoint-closure")


def test_fused_step() -> None:
    training_step("fused-step")


def test_ctx_norm() -> None:
    training_step("ctx-norm")


def test_relu_after_linear() -> None:
    training_step("relu-after-linear")


def test_exp_fresh() -> None:
    training_step("exp-fresh")
