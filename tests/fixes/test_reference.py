"""The breaks of the reference case, fixed: they train as the control does."""

from __future__ import annotations

import sys
import types

import pytest
import torch

from inplace_guard.check.fixing import fix_bytes
from inplace_guard.config import Settings
from minigpt_fixture.case import Trainer, batch_of
from minigpt_fixture.config import GPTConfig
from minigpt_fixture.corpus import corpus
from minigpt_fixture.model import Block, MiniGPT
from minigpt_fixture.registry import get, load

STEPS = 4


def losses_and_gradients(block: type[torch.nn.Module]) -> tuple[list[float], dict[str, torch.Tensor]]:
    torch.manual_seed(0)
    config = GPTConfig()
    model = MiniGPT(config, block=block)
    trainer = Trainer(model)
    windows = corpus().training_windows(config.block_size, 0)
    losses = [trainer.training_step(*batch_of(next(windows))).item() for _ in range(STEPS)]
    return losses, {name: p.grad for name, p in model.named_parameters() if p.grad is not None}


@pytest.fixture(scope="module")
def control() -> tuple[list[float], dict[str, torch.Tensor]]:
    return losses_and_gradients(Block)


@pytest.mark.parametrize(
    ("name", "unsafe"),
    [
        ("residual-add", False),
        ("clone-before-norm", False),
        ("relu-saved", False),
        ("exp-saved", False),
        ("checkpoint-input", False),
        ("ctx-norm", False),
        ("data-add", True),
        ("numpy-view", True),
        ("checkpoint-closure", True),
    ],
)
def test_a_fixed_break_trains_as_the_control(
    name: str, unsafe: bool, control: tuple[list[float], dict[str, torch.Tensor]], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = get(name).source.encode()
    if unsafe:
        assert not fix_bytes(source, "break.py", Settings(), unsafe=False).changed
    file = fix_bytes(source, "break.py", Settings(), unsafe=unsafe)
    assert file.changed
    assert not file.report.findings
    module = types.ModuleType("fixed_break")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(file.after, "break.py", "exec"), vars(module))
    losses, gradients = losses_and_gradients(module.Block)
    # The activation of one break is another one than the control's: its own twin is the measure there.
    expected = losses_and_gradients(load(name, repaired=True)["Block"]) if name == "relu-saved" else control
    assert losses == pytest.approx(expected[0], rel=1e-6)
    assert gradients.keys() == expected[1].keys()
    for parameter, gradient in expected[1].items():
        if name == "residual-add":
            assert torch.equal(gradients[parameter], gradient), parameter
        torch.testing.assert_close(gradients[parameter], gradient, rtol=1e-3, atol=1e-6)
    if name not in ("numpy-view", "clone-before-norm", "checkpoint-closure"):  # repaired in another way by hand
        assert file.after.decode() == get(name).repaired_source


def test_two_backwards_get_one_step() -> None:
    source = get("fused-step").source.encode()
    assert not fix_bytes(source, "break.py", Settings(), unsafe=False).changed
    assert fix_bytes(source, "break.py", Settings(), unsafe=True).after.decode() == get("fused-step").repaired_source


@pytest.mark.parametrize("name", ["relu-after-linear", "exp-fresh"])
def test_what_is_right_stays(name: str) -> None:
    assert not fix_bytes(get(name).source.encode(), "break.py", Settings(), unsafe=True).changed
