"""The tape by hand: PyTorch's gradients, and PyTorch's trouble with a write in place."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from minigpt_fixture import handbreak, handtape
from minigpt_fixture.handtape import Tensor, add, cross_entropy, gelu, layer_norm, matmul

RNG = np.random.default_rng(0)


def arrays(*shapes: tuple[int, ...]) -> list[np.ndarray]:
    return [RNG.standard_normal(shape) for shape in shapes]


TARGETS = [1, 0, 4]
OPS: dict[str, tuple[list[np.ndarray], Callable, Callable]] = {
    "matmul": (arrays((3, 4), (4, 5)), matmul, torch.matmul),
    "add": (arrays((3, 5), (3, 5)), add, torch.add),
    "add a row": (arrays((3, 5), (5,)), add, torch.add),
    "add a column": (arrays((3, 5), (3, 1)), add, torch.add),
    "layer norm": (arrays((3, 5), (5,), (5,)), layer_norm, lambda x, w, b: F.layer_norm(x, (5,), w, b)),
    "gelu": (arrays((3, 5)), gelu, F.gelu),
    "twice": (arrays((3, 5)), lambda x: add(gelu(x), x), lambda x: F.gelu(x) + x),
}


@pytest.mark.parametrize("name", OPS)
def test_gradients_are_pytorchs(name: str) -> None:
    inputs, ours, theirs = OPS[name]
    a = [Tensor(x) for x in inputs]
    b = [torch.tensor(x, requires_grad=True) for x in inputs]
    loss_a = cross_entropy(ours(*a), TARGETS)
    loss_b = F.cross_entropy(theirs(*b), torch.tensor(TARGETS))
    loss_a.backward()
    loss_b.backward()
    assert loss_a.data == pytest.approx(loss_b.item(), abs=1e-12)
    for x, y in zip(a, b, strict=True):
        np.testing.assert_allclose(x.grad, y.grad.numpy(), rtol=1e-9, atol=1e-12)


def test_written_where_nobody_saved_is_right() -> None:
    (x, w), results = arrays((3, 4), (4, 5)), []
    for in_place in (False, True):
        a, b = Tensor(x), Tensor(w)
        y = matmul(a, b)
        y = y.add_(matmul(a, b)) if in_place else add(y, matmul(a, b))
        cross_entropy(y, TARGETS).backward()
        results.append((a.grad, b.grad))
    np.testing.assert_array_equal(results[0][0], results[1][0])
    np.testing.assert_array_equal(results[0][1], results[1][1])


def test_a_leaf_is_not_written() -> None:
    with pytest.raises(RuntimeError, match="a leaf cannot be written"):
        Tensor([1.0]).add_(Tensor([1.0]))


def test_the_block_by_hand_is_pytorchs_block() -> None:
    run, step = handbreak.run(), handbreak.torch_step()
    assert run.error is None
    assert run.loss == pytest.approx(step.loss, abs=1e-12)
    assert run.gradients.keys() == step.gradients.keys()
    for name, grad in step.gradients.items():
        np.testing.assert_allclose(run.gradients[name], grad, rtol=1e-9, atol=1e-12)


def test_in_place_is_silent_without_the_counter_and_raises_with_it() -> None:
    control = handbreak.run()
    silent, counted = handbreak.run(in_place=True, check_versions=False), handbreak.run(in_place=True)
    assert silent.error is None
    assert silent.loss == control.loss
    assert handbreak.differing(silent, control)
    assert "ln_f.weight" not in handbreak.differing(silent, control)
    assert "layer_norm saved a tensor" in counted.error
    assert "at version 2; expected version 1" in counted.error
    assert handtape.check_versions is True


def test_pytorch_says_the_same_of_the_same_block() -> None:
    assert "is at version 2; expected version 1" in handbreak.torch_step(in_place=True).error


def test_it_needs_no_torch() -> None:
    import subprocess
    import sys

    code = "import sys, minigpt_fixture.handtape; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
