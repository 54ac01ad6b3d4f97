"""When saved memory is freed: the bars against the frees themselves, the predicted order against the engine's."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.multiprocessing.reductions import StorageWeakRef

from inplace_guard.runtime.tape.lifetimes import Lifetimes, predict
from inplace_guard.runtime.tape.model import Tape
from inplace_guard.runtime.tape.observe import Observation, observe
from minigpt_fixture.measure import graph_nodes, saved_tensors
from minigpt_fixture.tape import loss as minigpt_loss


@cache
def reference_case() -> Observation:
    return observe(minigpt_loss)


def inner_order(tape: Tape) -> tuple[int, ...]:
    leaves = {node.number for node in tape.nodes if node.leaf is not None}
    return tuple(number for number in tape.predicted if number not in leaves)


def frees_seen_by_polling(loss: torch.Tensor) -> list[tuple[int, int, int]]:
    """(bytes, saved by the n-th node of the forward, gone when the m-th backward node had run), with PyTorch's own weak
    reference to a storage, asked before each node."""
    nodes = [node for node in graph_nodes(loss) if "AccumulateGrad" not in node.name()]
    nodes.sort(key=lambda node: node._sequence_nr())
    watched: dict[int, tuple[StorageWeakRef, int, int]] = {}
    leaves = {
        node.variable.untyped_storage()._cdata for node in graph_nodes(loss) if "AccumulateGrad" in node.name()
    }  # fmt: skip
    for number, node in enumerate(nodes, start=1):
        for tensor in saved_tensors(node).values():
            storage = tensor.untyped_storage()
            if storage._cdata not in leaves and storage._cdata not in watched:
                watched[storage._cdata] = StorageWeakRef(storage), storage.nbytes(), number
    del tensor, storage, node
    gone: dict[int, int] = {}
    ran = 0

    def look(_: Any = None) -> None:
        nonlocal ran
        for key, (reference, _, _) in watched.items():
            if key not in gone and reference.expired():
                gone[key] = ran
        ran += 1

    for node in nodes:
        node.register_prehook(look)
    del nodes, node
    loss.backward()
    look()
    return sorted((size, born, gone.get(key, -1)) for key, (_, size, born) in watched.items())


def test_the_bars_are_the_real_frees_of_the_reference_case() -> None:
    observed = reference_case()
    sizes = {storage.number: storage.nbytes for storage in observed.tape.storages}
    bars = sorted((sizes[bar.storage], bar.born, bar.died or -1) for bar in observed.lifetimes.bars)
    assert bars == frees_seen_by_polling(minigpt_loss())
    assert len(bars) > 40
    assert all(died > 0 for _, _, died in bars)


@pytest.mark.parametrize("seed", range(8))
def test_the_bars_are_the_real_frees_of_random_graphs(seed: int) -> None:
    def loss() -> torch.Tensor:
        pick = torch.Generator().manual_seed(seed)
        values = [torch.ones(4 + n, 3, requires_grad=True) * 1.5 for n in range(1)]
        for _ in range(30):
            a, b = (values[int(torch.randint(len(values), (), generator=pick))] for _ in range(2))
            op = int(torch.randint(6, (), generator=pick))
            values.append((a * b, a + b, a.sigmoid(), b.sin(), a.detach() * b, torch.where(a > 1, a, b))[op])
        return values[-1].sum() + values[-2].mean()

    observed = observe(loss)
    sizes = {storage.number: storage.nbytes for storage in observed.tape.storages}
    bars = sorted((sizes[bar.storage], bar.born, bar.died or -1) for bar in observed.lifetimes.bars)
    assert bars == frees_seen_by_polling(loss())
    assert inner_order(observed.tape) == observed.lifetimes.order


def test_the_prediction_of_the_reference_case_comes_true() -> None:
    observed = reference_case()
    foreseen = predict(observed.tape)
    assert not foreseen.measured
    assert observed.lifetimes.measured
    assert foreseen.order == observed.lifetimes.order
    assert foreseen.bars == observed.lifetimes.bars
    assert foreseen.curve == observed.lifetimes.curve


def test_the_curve_adds_up() -> None:
    observed = reference_case()
    life, nodes = observed.lifetimes, observed.tape.totals.nodes
    assert len(life.curve) == nodes + len(life.order) + 1
    assert life.peak == observed.tape.totals.distinct_bytes == life.curve[nodes - 1]
    assert life.curve[-1] == 0
    sizes = {storage.number: storage.nbytes for storage in observed.tape.storages}
    for step in range(1, len(life.curve)):
        alive = [bar for bar in life.bars if bar.born <= step and (bar.died is None or step <= nodes + bar.died)]
        assert life.curve[step - 1] == sum(sizes[bar.storage] for bar in alive)


def test_what_the_program_holds_outlives_the_backward() -> None:
    kept = []

    def loss() -> torch.Tensor:
        h = (torch.ones(8, requires_grad=True) * 2).exp()
        kept.append(h)
        return h.sin().sum()

    life = observe(loss).lifetimes
    (held,) = [bar for bar in life.bars if bar.died is None]
    assert held.read == 3  # exp saved its result, and sin its input: exp is the third to run
    assert life.curve[-1] == 32


def failing() -> torch.Tensor:
    h = (torch.ones(8, requires_grad=True) * 2).exp()
    loss = h.sin().cos().sum()
    h.add_(1)
    return loss


def test_a_backward_that_raises_ends_the_time_line() -> None:
    observed = observe(failing)
    life = observed.lifetimes
    assert life.error is not None
    assert "modified by an inplace operation" in life.error
    names = {node.number: node.kind for node in observed.tape}
    assert [names[number] for number in life.order] == ["SumBackward0", "CosBackward0", "SinBackward0"]
    assert life.stopped_at == life.order[-1]
    ends = {names[bar.born]: (bar.read, bar.died) for bar in life.bars}
    assert ends["CosBackward0"] == (2, 2)
    assert ends["ExpBackward0"] == (None, None)


def test_a_custom_function_that_raises() -> None:
    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x * 1

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> Any:
            raise ValueError("not today")

    life = observe(lambda: Fails.apply(torch.ones(2, requires_grad=True).exp()).sum()).lifetimes
    assert life.error == "not today"


def test_batch_norm_and_recurrent_kernels() -> None:
    model = nn.ModuleDict({"norm": nn.BatchNorm1d(3), "rnn": nn.GRU(3, 4)})

    def loss() -> torch.Tensor:
        out, _ = model["rnn"](model["norm"](torch.ones(5, 3))[None])
        return F.relu(out).sum()

    observed = observe(loss)
    assert observed.lifetimes.error is None
    names = {storage.name for storage in observed.tape.storages if storage.name and not storage.parameter}
    assert names == {"norm.running_mean", "norm.running_var"}
    held = {bar.storage for bar in observed.lifetimes.bars if bar.died is None}
    assert {storage.name for storage in observed.tape.storages if storage.number in held} == names


def test_the_document_is_json() -> None:
    document = json.loads(json.dumps(observe(failing).document("forward")))
    assert document["schema"] == 1
    assert [node["number"] for node in document["nodes"]] == [1, 2, 3, 4, 5, 6]
    assert document["lifetimes"]["stopped_at"] == 3
    assert document["totals"]["clobbered"] == 2
    assert isinstance(Lifetimes((), (), True).peak, int)
