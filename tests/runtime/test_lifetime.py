"""The guard keeps nothing alive: not tensors, not graphs, not modules; and what it remembers is bounded."""

from __future__ import annotations

import contextlib
import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from inplace_guard import guard
from inplace_guard.runtime import journal
from inplace_guard.runtime.graphwalk import walk


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.kept = x * 2
        return ctx.kept.clone()

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad * 2 * ctx.kept.sign().abs()


def plain(x: torch.Tensor) -> torch.Tensor:
    return x.exp()


def bypass(x: torch.Tensor) -> torch.Tensor:
    h = x * 1
    h.data.mul_(1)
    h.detach().numpy().sum()
    return h.detach().clone().requires_grad_() + x


def hooked(x: torch.Tensor) -> torch.Tensor:
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        return x.sin()


def segment(x: torch.Tensor) -> torch.Tensor:
    result: torch.Tensor = checkpoint(lambda t: t.sin().exp(), x, use_reentrant=False)
    return result


WAYS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "plain": plain,
    "bypass": bypass,
    "custom Function": lambda x: Scale.apply(x),
    "hooks": hooked,
    "checkpoint": segment,
}


@pytest.mark.parametrize("mode", ["on", "fail-fast", "content"])
@pytest.mark.parametrize("name", WAYS)
def test_tensors_die_when_the_program_lets_go_of_them(name: str, mode: str) -> None:
    alive: list[weakref.ref[Any]] = []
    options: dict[str, Any] = {"content": True} if mode == "content" else {"mode": mode}

    def step() -> None:
        x = torch.ones(3, requires_grad=True)
        h = x * 2
        y = WAYS[name](h)
        loss = y.sum()
        loss.backward()
        alive.extend(weakref.ref(thing) for thing in (x, h, y, loss))

    step()  # what torch itself keeps from the first call on is not ours
    alive.clear()
    gc.collect()
    gc.disable()
    try:
        with guard(**options):
            step()
            assert [reference() for reference in alive] == [None] * 4
    finally:
        gc.enable()


def test_a_graph_without_backward_dies_too() -> None:
    gc.disable()
    try:
        with guard():
            y = torch.ones(3, requires_grad=True).exp()
            reference = weakref.ref(y)
            del y
            assert reference() is None
    finally:
        gc.enable()


def test_after_a_report_only_the_text_is_left() -> None:
    gc.collect()
    gc.disable()
    try:
        with guard() as watch:
            y = torch.ones(3, requires_grad=True).exp()
            reference = weakref.ref(y)
            y.add_(1)
            with contextlib.suppress(RuntimeError):
                y.sum().backward()
            del y
            assert reference() is None
        assert len(watch.findings) == 1
    finally:
        gc.enable()


def test_modules_die() -> None:
    gc.disable()
    try:
        with guard():
            layer = nn.Linear(2, 2)
            reference = weakref.ref(layer)
            layer(torch.ones(1, 2)).sum().backward()
            del layer
            assert reference() is None
    finally:
        gc.enable()


def count_tensors() -> int:
    return sum(issubclass(type(thing), torch.Tensor) for thing in gc.get_objects())


def test_a_thousand_training_steps_leave_nothing_behind() -> None:
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(inplace=True), nn.Linear(8, 1))
    opt = torch.optim.AdamW(net.parameters())
    alive: list[weakref.ref[Any]] = []

    def step() -> None:
        x = torch.ones(2, 4)
        opt.zero_grad()
        h = net(x)
        loss = h.square().mean()
        loss.backward()
        opt.step()
        alive.extend((weakref.ref(h), weakref.ref(loss)))

    with guard() as watch:
        for _ in range(50):
            step()
        gc.collect()
        tensors = count_tensors()
        for _ in range(1000):
            step()
        gc.collect()
        assert count_tensors() == tensors
        assert sum(reference() is not None for reference in alive) == 0
        assert watch.memory is not None
        assert len(watch.memory.recorder.journal.calls) <= journal._MOST_CALLS * journal._WIDTH
    assert watch.findings == []


def test_the_memory_of_calls_and_writes_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "_MOST_CALLS", 100)
    monkeypatch.setattr(journal, "_MOST_WRITES", 50)
    x = torch.ones(2, requires_grad=True)
    with guard() as watch:
        first = x.exp()
        for _ in range(300):
            (x.exp()).sum().backward()
            torch.zeros(2).add_(1)
        assert watch.memory is not None
        kept = watch.memory.recorder.journal
        assert len(kept.calls) <= 101 * journal._WIDTH
        assert len(kept._writes) <= 51
        assert kept.count == 300
        first.add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            first.sum().backward()
    (found,) = watch.findings
    assert found.write.source == "first.add_(1)"
    assert found.saved is None  # forgotten by now, and said so by leaving it out


def test_depth_is_no_limit() -> None:
    x = torch.ones(1, requires_grad=True)
    with guard() as watch:
        h = x * 1
        y = h.sin()
        for _ in range(5000):
            y = y + h
        h.add_(1)
        with pytest.raises(RuntimeError):
            y.backward()
    assert len(watch.findings) == 1
    assert sum(1 for _ in walk([y.grad_fn])) > 5000
