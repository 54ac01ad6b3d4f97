"""fail-fast, content, allow and raise_on, nesting, threads, decorators."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import ctypes
import gc
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from inplace_guard import InplaceHazardError, guard
from inplace_guard.runtime import active, textnames
from inplace_guard.runtime.syntax import syntax

from .programs_raising import OPTIMIZERS, RAISING
from .programs_silent import SILENT

_NOT_AT_THE_WRITE = {
    "self product through views": "the operation that saves is the one that writes",
    "load_state_dict between": "torch puts the text into an error of its own",
    "LBFGS with a closure": "the line of the write is in torch's own loop, below the closure",
    "a custom backward that writes what others saved": "it runs when the node that saved has been used",
    "a tensor hook that writes what others saved": "it runs in the backward",
}


@pytest.mark.parametrize("name", [name for name in RAISING if name not in _NOT_AT_THE_WRITE])
def test_fail_fast_raises_at_the_write(name: str, run: Callable[..., Any]) -> None:
    outcome = run(RAISING[name][1], mode="fail-fast")
    assert isinstance(outcome.error, InplaceHazardError), outcome.error
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(outcome.error.__traceback__)
        if frame.filename.endswith((".py",)) and "program" in frame.filename.rsplit("/", 1)[-1]
    ]
    assert lines[-1] == outcome.marked["wrote"][0]
    assert outcome.findings[0].write.line == outcome.marked["wrote"][0]
    assert outcome.findings[0].saved is not None


@pytest.mark.parametrize("name", [name for name in OPTIMIZERS if name not in _NOT_AT_THE_WRITE])
def test_fail_fast_stops_an_optimizer_before_it_writes(name: str, run: Callable[..., Any]) -> None:
    outcome = run(OPTIMIZERS[name], mode="fail-fast")
    assert isinstance(outcome.error, InplaceHazardError)
    assert (outcome.codes, outcome.wrote) == (["IPG107"], outcome.marked["wrote"])


def test_fail_fast_leaves_the_tensor_as_it_was() -> None:
    y = torch.zeros(3, requires_grad=True).exp()
    with guard("fail-fast"):
        z = y.exp()
        with pytest.raises(InplaceHazardError):
            z.mul_(0)
        assert torch.equal(z, y.exp())


def test_fail_fast_lets_go_of_a_graph_that_was_used() -> None:
    with guard("fail-fast") as watch:
        y = torch.zeros(3, requires_grad=True).exp()
        y.sum().backward()
        y.mul_(2)
        z = torch.zeros(3, requires_grad=True).exp()
        loss = z.sum()
        del loss, z
    assert watch.findings == []


@pytest.mark.parametrize(
    "name", [name for name, (code, _) in SILENT.items() if code in ("IPG201", "IPG202") and "goes on" not in name]
)
def test_content_finds_what_marks_find(name: str, run: Callable[..., Any]) -> None:
    outcome = run(SILENT[name][1], content=True)
    assert isinstance(outcome.error, InplaceHazardError)


def test_content_finds_what_nothing_else_sees() -> None:
    with guard(content=True) as watch:
        z = torch.zeros(3, requires_grad=True).exp()
        with torch._C.DisableTorchFunction():  # an address that the guard has not seen handed out
            address = z.data_ptr()
        loss = z.sum()
        ctypes.memset(address, 0, 4)
        with pytest.raises(InplaceHazardError, match="changed before the backward"):
            loss.backward()
    assert [finding.code for finding in watch.findings] == ["IPG203"]
    assert watch.findings[0].certainty == "likely"


def test_content_keeps_the_version_check() -> None:
    with guard(content=True):
        y = torch.zeros(3, requires_grad=True).exp()
        y.add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation") as caught:
            y.sum().backward()
    assert "inplace-guard:" in str(caught.value)
    assert not isinstance(caught.value, InplaceHazardError)


def write_after_save() -> None:
    y = torch.zeros(3, requires_grad=True).exp()
    y.add_(1)
    y.sum().backward()


def test_the_innermost_guard_gets_the_finding() -> None:
    with guard() as outer:
        with guard() as inner, pytest.raises(RuntimeError):
            write_after_save()
        assert len(inner.findings) == 1
        assert outer.findings == []
        with pytest.raises(RuntimeError):
            write_after_save()
        assert len(outer.findings) == 1


def test_a_nested_guard_knows_what_was_saved_before_it() -> None:
    with guard():
        y = torch.zeros(3, requires_grad=True).exp()
        with guard() as inner:
            y.add_(1)
            with pytest.raises(RuntimeError):
                y.sum().backward()
    assert inner.findings[0].saved is not None


def test_one_guard_may_be_entered_twice() -> None:
    watch = guard()
    with watch, watch:
        pass
    with watch, pytest.raises(RuntimeError):
        write_after_save()
    assert len(watch.findings) == 1
    assert active.sessions() == []


def test_a_guard_for_each_step_reads_the_program_once() -> None:
    def step() -> None:
        with guard():
            torch.ones(3).mul(2).add_(1)

    step()
    read = textnames._source_of.cache_info().misses
    step()
    assert textnames._source_of.cache_info().misses == read


def test_as_a_decorator() -> None:
    watch = guard()
    guarded = watch(write_after_save)
    assert guarded.__name__ == "write_after_save"
    with pytest.raises(RuntimeError):
        guarded()
    assert watch.findings[0].write.source == "y.add_(1)"


def test_as_a_decorator_of_a_coroutine_and_a_generator() -> None:
    watch = guard()

    @watch
    async def coroutine() -> None:
        await asyncio.sleep(0)
        write_after_save()

    @watch
    def generator() -> Any:
        yield 1
        write_after_save()

    with pytest.raises(RuntimeError):
        asyncio.run(coroutine())
    with pytest.raises(RuntimeError):
        list(generator())
    assert len(watch.findings) == 2
    assert active.sessions() == []


def test_a_decorated_generator_keeps_its_protocol() -> None:
    @guard()
    def generator() -> Any:
        total = 0
        try:
            while True:
                try:
                    total += yield total
                except ValueError:
                    total = -1
        finally:
            assert active.current() is not None
            closed.append(total)

    closed: list[int] = []
    made = generator()
    assert next(made) == 0
    assert active.current() is None
    assert made.send(5) == 5
    assert made.throw(ValueError) == -1
    made.close()
    assert closed == [-1]
    with pytest.raises(TypeError, match="asynchronous generators"):

        @guard()
        async def refused() -> Any:
            yield 1


def test_tasks_may_leave_in_any_order() -> None:
    found: dict[str, int] = {}

    async def task(name: str, first: float, second: float) -> None:
        await asyncio.sleep(first)
        with guard() as watch:
            await asyncio.sleep(second)
            with pytest.raises(RuntimeError):
                write_after_save()
            found[name] = len(watch.findings)

    async def both() -> None:
        await asyncio.gather(task("long", 0, 0.05), task("short", 0.01, 0.01))

    asyncio.run(both())
    assert set(found) == {"long", "short"}
    assert active.sessions() == []
    assert torch.overrides._len_torch_function_stack() == 0


def test_each_thread_has_a_memory_of_its_own() -> None:
    watches: dict[str, guard] = {}

    def work(name: str) -> None:
        with guard() as watch:
            watches[name] = watch
            with pytest.raises(RuntimeError):
                write_after_save()

    threads = [threading.Thread(target=work, args=(str(number),)) for number in range(4)]
    with guard() as own:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert torch.overrides._len_torch_function_stack() == 1
    assert own.findings == []
    assert [len(watch.findings) for watch in watches.values()] == [1] * 4
    assert len({id(watch.memory) for watch in watches.values()}) == 4


def test_threads_that_parse_at_once_do_not_disturb_each_other() -> None:
    """Python's parser may fail with SystemError where another thread parses, too, while objects are collected."""
    text = "".join(f"x{number} = f(y[{number}].z + {number}) if y else (lambda: {number})\n" for number in range(3))
    trees: list[object] = []

    def collected(*_: object) -> None:
        for _ in range(100):
            pass

    def program() -> None:
        while len(trees) < 400:
            with contextlib.suppress(SystemError):
                ast.parse(text)

    def guarded() -> None:
        for _ in range(200):
            try:
                trees.append(syntax(text))
            except SystemError as error:
                trees.append(error)

    threads = [threading.Thread(target=target) for target in (program, program, guarded, guarded)]
    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(50)
    gc.callbacks.append(collected)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        gc.callbacks.remove(collected)
        gc.set_threshold(*thresholds)
        sys.setswitchinterval(interval)
    assert [type(tree) for tree in trees] == [ast.Module] * 400


def test_an_unguarded_thread_is_left_alone() -> None:
    results: list[BaseException | None] = []

    def work() -> None:
        try:
            write_after_save()
        except RuntimeError as error:
            results.append(error)

    with guard():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert results
    assert "inplace-guard" not in str(results[0])


def test_a_write_in_another_thread_is_said_not_to_be_seen() -> None:
    with guard() as watch:
        y = torch.zeros(3, requires_grad=True).exp()
        thread = threading.Thread(target=lambda: y.add_(1))
        thread.start()
        thread.join()
        with pytest.raises(RuntimeError, match="another thread"):
            y.sum().backward()
    assert watch.findings[0].certainty == "likely"


def test_a_write_in_another_guarded_thread_is_named() -> None:
    saved: list[torch.Tensor] = []

    def work() -> None:
        with guard():
            saved[0].add_(1)

    with guard() as watch:
        saved.append(torch.zeros(3, requires_grad=True).exp())
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            saved[0].sum().backward()
    (found,) = watch.findings
    assert found.write.source == "saved[0].add_(1)"
    assert found.saved is not None


def test_fail_fast_says_which_way_the_write_goes(run: Callable[..., Any]) -> None:
    for write, code in (("y.data.mul_(2)", "IPG201"), ("y.mul_(2)", "IPG101")):
        outcome = run(f"y = torch.zeros(3, requires_grad=True).exp()\n{write}  # wrote\n", mode="fail-fast")
        assert outcome.codes == [code]
        assert outcome.wrote == outcome.marked["wrote"]


def test_torch_is_as_before_when_the_last_guard_has_gone() -> None:
    def state() -> list[Any]:
        return [
            torch.autograd.graph._engine_run_backward,
            torch.autograd._engine_run_backward,
            vars(torch.autograd.function._SingleLevelFunction).get("apply"),
            vars(torch.autograd.function.BackwardCFunction).get("apply"),
            vars(torch.autograd.graph.saved_tensors_hooks).get("__enter__"),
            torch.optim.Optimizer.zero_grad,
            nn.Module.zero_grad,
            torch.from_numpy,
            torch.overrides._len_torch_function_stack(),
            len(torch.optim.optimizer._global_optimizer_pre_hooks)
            if hasattr(torch.optim, "optimizer")
            else len(__import__("torch.optim.optimizer", fromlist=["x"])._global_optimizer_pre_hooks),
        ]

    before = state()
    with guard():
        assert state() != before
        with guard("fail-fast"):
            pass
    assert state() == before


def test_a_patch_of_somebody_else_on_top_of_ours_stays() -> None:
    graph = torch.autograd.graph
    original = graph._engine_run_backward
    try:
        with guard():
            ours = graph._engine_run_backward

            def theirs(*args: Any, **kwargs: Any) -> Any:
                return ours(*args, **kwargs)

            graph._engine_run_backward = theirs
        assert graph._engine_run_backward is theirs
        x = torch.ones(2, requires_grad=True)
        torch.autograd.grad(x.sum(), x)
    finally:
        graph._engine_run_backward = original


def test_a_default_device_set_inside_survives() -> None:
    try:
        with guard():
            torch.set_default_device("meta")
        assert torch.zeros(1).device.type == "meta"
    finally:
        torch.set_default_device(None)
    assert torch.zeros(1).device.type == "cpu"


@pytest.mark.parametrize("argument", ["IPG999", "", "no-such-rule"])
def test_an_unknown_code_is_an_error(argument: str) -> None:
    with pytest.raises(ValueError, match="no rule"):
        guard(allow=argument)


def test_an_unknown_mode_is_an_error() -> None:
    with pytest.raises(ValueError, match="'on' or 'fail-fast'"):
        guard("off")


def test_allow_and_raise_on_take_families_and_names() -> None:
    watch = guard(allow="data-write").allow("IPG3").raise_on("IPG208")
    assert "IPG201" in watch._allow
    assert {"IPG301", "IPG302", "IPG303"} <= watch._allow
    out, index = torch.zeros(3), torch.tensor([1, 1])
    with watch, pytest.raises(InplaceHazardError):
        out[index] += 1


def test_keyboard_interrupt_in_backward_passes_through() -> None:
    x = torch.ones(2, requires_grad=True)

    def hook(grad: torch.Tensor) -> None:
        raise KeyboardInterrupt

    with guard() as watch:
        y = x * 2
        y.register_hook(hook)
        with pytest.raises(KeyboardInterrupt):
            y.sum().backward()
        x.grad = None
        (x * 3).sum().backward()
        assert torch.equal(x.grad, torch.full((2,), 3.0))
    assert watch.findings == []


def test_an_exception_of_the_users_own_is_not_touched() -> None:
    class Mine(RuntimeError):
        pass

    x = torch.ones(2, requires_grad=True)

    def hook(grad: torch.Tensor) -> None:
        raise Mine("modified by an inplace operation, says a user")

    with guard() as watch:
        y = x * 2
        y.register_hook(hook)
        with pytest.raises(Mine):
            y.sum().backward()
    assert watch.findings == []


def test_a_step_that_raises_does_not_blind_the_guard() -> None:
    layer = nn.Linear(2, 1)
    opt = torch.optim.SGD(layer.parameters(), lr=0.1)
    layer(torch.ones(1, 2)).sum().backward()
    layer.weight.grad = layer.weight.grad.to_sparse()
    opt.defaults["weight_decay"] = opt.param_groups[0]["weight_decay"] = 0.5
    with guard() as watch:
        with pytest.raises(RuntimeError):
            opt.step()
        layer.weight.grad = None
        torch.ones(2, requires_grad=True).sum().backward()
        with pytest.raises(RuntimeError):
            write_after_save()
    assert len(watch.findings) == 1
