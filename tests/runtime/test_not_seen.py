"""The limits that docs/runtime.md lists under "What is not seen": each one shown."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from inplace_guard import InplaceHazardError, guard


def test_a_write_inside_a_scripted_function_is_noticed_but_not_named() -> None:
    @torch.jit.script
    def double(x: torch.Tensor) -> torch.Tensor:
        x.mul_(2)
        return x

    with guard() as watch:
        y = torch.zeros(3, requires_grad=True).exp()
        double(y)
        with pytest.raises(RuntimeError, match="did not see"):
            y.sum().backward()
    (found,) = watch.findings
    assert found.certainty == "likely"
    assert found.saved is not None


def test_nor_is_one_inside_a_compiled_function() -> None:
    def work(x: torch.Tensor) -> torch.Tensor:
        x.mul_(2)
        return x * 1

    compiled = torch.compile(work, backend="eager")
    with guard() as watch:
        y = torch.zeros(3, requires_grad=True).exp()
        z = compiled(y)
        with pytest.raises(RuntimeError, match="did not see"):
            z.sum().backward()
    assert watch.findings[0].certainty == "likely"


def test_nor_is_one_in_another_thread() -> None:
    with guard() as watch:
        y = torch.zeros(3, requires_grad=True).exp()
        thread = threading.Thread(target=y.add_, args=(1,))
        thread.start()
        thread.join()
        with pytest.raises(RuntimeError, match="in another thread"):
            y.sum().backward()
    assert watch.findings[0].certainty == "likely"


def test_a_thread_that_goes_forward_and_backward_by_itself_is_not_watched() -> None:
    gradients = []

    def train() -> None:
        w = torch.ones(3, requires_grad=True)
        h = w.exp()
        h.data.mul_(2)
        h.sum().backward()
        gradients.append(w.grad)

    with guard() as watch:
        thread = threading.Thread(target=train)
        thread.start()
        thread.join()
    assert watch.findings == []
    assert torch.equal(gradients[0], torch.full((3,), 2.0).mul_(torch.ones(3).exp()))  # twice what is right


def test_what_a_forward_writes_after_it_kept_it() -> None:
    class Gated(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            y = x.exp()
            ctx.save_for_backward(y)
            return y.mul_(2)

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            (y,) = ctx.saved_tensors
            return grad * 2 * y

    w = torch.zeros(3, requires_grad=True)
    with guard() as watch:
        Gated.apply(w).sum().backward()
    assert watch.findings == []
    assert torch.equal(w.grad, torch.full((3,), 4.0))  # 2 is right


def test_what_was_saved_before_the_guard_has_no_line() -> None:
    y = torch.zeros(3, requires_grad=True).exp()
    with guard() as watch:
        y.add_(1)
        with pytest.raises(RuntimeError):
            y.sum().backward()
    (found,) = watch.findings
    assert found.saved is None
    assert found.write.source == "y.add_(1)"


def test_a_pointer_that_was_taken_before_the_guard_needs_the_content_mode() -> None:
    memory = torch.zeros(3)
    address = memory.data_ptr()

    def step(value: int) -> None:
        loss = (torch.ones(3, requires_grad=True) * memory).sum()
        ctypes.memset(address, value, 4)
        loss.backward()

    with guard() as watch:
        step(1)
    assert watch.findings == []
    with guard(content=True), pytest.raises(InplaceHazardError):
        step(2)


def test_under_a_debugger_or_coverage_a_write_through_numpy_is_a_range_of_lines() -> None:
    before = sys.gettrace()
    with guard() as watch:
        y = torch.zeros(3, requires_grad=True).exp()
        sys.settrace(lambda *event: None)  # somebody else traces
        try:
            a = y.detach().numpy()  # handed out here
            a[0] = 5
            with pytest.raises(InplaceHazardError, match="it happened between"):
                y.sum().backward()
        finally:
            sys.settrace(before)
    (found,) = watch.findings
    assert (found.write.source or "").endswith("# handed out here")


def test_a_large_array_is_not_watched_line_by_line() -> None:
    with guard() as watch:
        y = torch.zeros(1 << 19, requires_grad=True).exp()
        a = y.detach().numpy()  # handed out here
        a[:] = 5
        with pytest.raises(InplaceHazardError, match="it happened between"):
            y.sum().backward()
    assert (watch.findings[0].write.source or "").endswith("# handed out here")


def test_a_number_taken_out_of_the_graph_leaves_no_trace() -> None:
    w = nn.Parameter(torch.ones(2))
    with guard() as watch:
        scale = w.sum().item()
        (w * scale).sum().backward()
    assert watch.findings == []


def test_two_names_bound_to_one_tensor() -> None:
    with guard() as watch:
        names = {"total": nn.Linear(2, 2)(torch.ones(1, 2))}
        names["best"] = names["total"]  # meant: a copy
        names["total"] += 1
        (names["total"] + names["best"]).sum().backward()
    assert watch.findings == []


def test_a_list_of_snapshots_that_nobody_compares() -> None:
    state, history = torch.zeros(2), []
    with guard() as watch:
        for step in range(3):
            state.add_(step)
            history.append(state)
        history[0].sum()
    assert watch.findings == []


def test_data_that_noise_is_added_to_each_epoch() -> None:
    data, net = torch.ones(4, 2), nn.Linear(2, 1)
    with guard() as watch:
        for _ in range(2):
            for row in data:
                row.add_(torch.rand(2))  # an accumulator does just this
                net(row).sum().backward()
    assert watch.findings == []


def test_in_content_mode_saves_under_hooks_of_the_users_own_are_not_compared() -> None:
    with guard(content=True) as watch:
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            y = torch.zeros(3, requires_grad=True).exp()
        with torch._C.DisableTorchFunction():
            address = y.data_ptr()
        ctypes.memset(address, 1, 4)
        y.sum().backward()
    assert watch.findings == []


@pytest.mark.parametrize("way", ["exec", "lambda"])
def test_without_source_there_are_lines_but_no_text(way: str) -> None:
    space: dict[str, Any] = {"torch": torch}
    source = "y = torch.zeros(3, requires_grad=True).exp()\ny.add_(1)\ny.sum().backward()\n"
    run: Callable[[], object] = lambda: exec(compile(source, "<string>", "exec"), space)  # noqa: E731
    with guard() as watch, pytest.raises(RuntimeError):
        run()
    (found,) = watch.findings
    assert (found.write.line, found.write.source) == (2, None)


def test_an_array_that_shares_memory_with_a_dataset_only() -> None:
    table = np.ones(4, dtype=np.float32)
    with guard() as watch:
        rows = torch.from_numpy(table)
        rows.mul_(2)
        table += 1
        rows.sum()
    assert watch.findings == []


def test_what_a_forward_hook_kept_before_an_in_place_module_ran() -> None:
    kept: list[torch.Tensor] = []
    net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True), nn.Linear(3, 3))
    net[0].register_forward_hook(lambda module, inputs, output: kept.append(output))
    with guard() as watch:
        net(torch.randn(4, 3))
        kept[0].square().sum().backward()
    assert (kept[0] >= 0).all()
    assert watch.findings == []
