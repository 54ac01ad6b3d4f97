"""`frozen`: any write raises at its own line."""

from __future__ import annotations

import ctypes
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from torch import nn

from inplace_guard import InplaceHazardError, frozen, guard
from inplace_guard.runtime import active

WRITES: dict[str, Callable[[torch.Tensor], object]] = {
    "method": lambda t: t.add_(1),
    "operator": lambda t: t.__iadd__(1),
    "index": lambda t: t.__setitem__(0, 1),
    "view": lambda t: t[:1].zero_(),
    "detached": lambda t: t.detach().mul_(2),
    "data": lambda t: t.data.mul_(2),
    "rebound": lambda t: setattr(t, "data", torch.ones(3)),
    "out": lambda t: torch.add(torch.ones(3), 1, out=t),
    "functional": lambda t: nn.functional.relu(t, inplace=True),
    "init": lambda t: nn.init.ones_(t),
    "foreach": lambda t: torch._foreach_add_([torch.zeros(1), t], 1),
    "apply": lambda t: t.apply_(lambda v: v + 1),
    "operator of torch.ops": lambda t: torch.ops.aten.add_.Tensor(t, torch.ones(3)),
}


@pytest.mark.parametrize("name", WRITES)
def test_every_way_to_write_is_refused_before_it_happens(name: str) -> None:
    t = torch.zeros(3)
    with pytest.raises(InplaceHazardError, match="frozen") as caught, frozen(t):
        WRITES[name](t)
    assert torch.equal(t, torch.zeros(3))
    line = traceback.extract_tb(caught.value.__traceback__)[1]
    assert line.filename == __file__
    assert caught.value.findings[0].write.path == __file__


def test_a_module_is_frozen_with_parameters_and_buffers() -> None:
    norm = nn.BatchNorm1d(3)
    with pytest.raises(InplaceHazardError, match="num_batches_tracked"), frozen(norm):
        norm(torch.randn(4, 3))
    with pytest.raises(InplaceHazardError, match="running_mean"), frozen(norm.running_mean, norm.eval()):
        nn.functional.batch_norm(torch.randn(4, 3), norm.running_mean, norm.running_var, training=True)
    assert torch.equal(norm.running_mean, torch.zeros(3))


@pytest.mark.parametrize("options", [{}, {"foreach": True}, {"fused": True}])
def test_an_optimizer_step_is_refused(options: dict[str, bool]) -> None:
    layer = nn.Linear(2, 1)
    before = layer.weight.detach().clone()
    opt = torch.optim.Adam(layer.parameters(), **options)
    layer(torch.ones(1, 2)).sum().backward()
    with pytest.raises(InplaceHazardError, match=r"Adam\.step .* would write weight"), frozen(layer):
        opt.step()
    assert torch.equal(layer.weight, before)
    opt.step()
    assert not torch.equal(layer.weight, before)


def test_reading_and_gradients_are_fine() -> None:
    layer = nn.Linear(2, 1)
    with frozen(layer) as watch:
        layer(torch.ones(1, 2)).sum().backward()
        layer.weight.grad.zero_()
        layer.state_dict()
        layer.weight.detach().numpy().sum()
        other = layer.weight * 2
        other.mul_(3)
    assert watch is not None


def test_a_write_through_numpy_is_named_by_its_line() -> None:
    t = torch.zeros(3)

    def write() -> None:
        a = t.numpy()
        a[1] = 5  # this line
        np.sum(a)

    with pytest.raises(InplaceHazardError) as caught, frozen(t):
        write()
    (found,) = caught.value.findings
    assert found.write.source == "a[1] = 5  # this line"


def test_a_write_that_nobody_sees_is_noticed_at_the_end() -> None:
    t = torch.zeros(3)
    address = t.data_ptr()
    with pytest.raises(InplaceHazardError, match=r"changed between .* and "), frozen(t):
        ctypes.memset(address, 1, 4)
    with ThreadPoolExecutor() as pool, pytest.raises(InplaceHazardError, match="changed between"), frozen(t):
        pool.submit(t.add_, 1).result()


def test_it_ends_with_the_block() -> None:
    t = torch.zeros(3)
    with frozen(t):
        pass
    t.add_(1)
    assert active.sessions() == []


def test_under_a_guard_the_finding_stays_with_the_frozen_block() -> None:
    t = torch.zeros(3)
    with guard() as watch:
        with pytest.raises(InplaceHazardError), frozen(t):
            t.add_(1)
        t.add_(1)
    assert watch.findings == []


def test_as_a_decorator() -> None:
    t = torch.zeros(3)

    @frozen(t)
    def write() -> None:
        t.add_(1)

    for _ in range(2):
        with pytest.raises(InplaceHazardError):
            write()


def test_an_error_inside_is_not_hidden() -> None:
    with pytest.raises(KeyError), frozen(torch.zeros(3)):
        raise KeyError("mine")


def test_what_cannot_be_frozen_is_refused() -> None:
    with pytest.raises(TypeError, match="takes tensors and modules, not str"), frozen("weight"):
        pass
    assert active.sessions() == []
