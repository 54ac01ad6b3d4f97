"""The counts agree with a second, independent count."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from minigpt_fixture.case import MiniGPTCase
from minigpt_fixture.measure import count_bytes, graph_nodes, kind, node_kinds, saved_bytes, saved_names, saved_tensors


def loss_of(case: MiniGPTCase) -> Tensor:
    return case.loss_fn(case.model(case.batch.tokens), case.batch.targets)


def test_bytes_by_the_graph_equal_bytes_by_the_hooks(minigpt: MiniGPTCase) -> None:
    packed: list[Tensor] = []

    def pack(tensor: Tensor) -> Tensor:
        packed.append(tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        kept = loss_of(minigpt)
    by_hooks = count_bytes(packed, minigpt.model.parameters())
    assert kept.requires_grad
    loss = loss_of(minigpt)
    by_graph = saved_bytes(loss, minigpt.model.parameters())
    divisions = [node for node in graph_nodes(loss) if kind(node) == "DivBackward0"]
    numbers = sum(saved_tensors(node)["other"].nbytes for node in divisions)  # hooks are not shown Python numbers
    assert numbers == 2 * 8
    assert by_graph.distinct - numbers == by_hooks.distinct
    assert by_graph.each - numbers == by_hooks.each
    assert by_graph.parameters == by_hooks.parameters


def test_every_node_is_visited_by_backward(minigpt: MiniGPTCase) -> None:
    loss = loss_of(minigpt)
    visited: list[str] = []
    nodes = graph_nodes(loss)
    for node in nodes:
        node.register_prehook(lambda grads: visited.append(""))
    loss.backward()
    assert len(visited) == len(nodes) == sum(node_kinds(loss).values())


def test_a_deep_graph_is_no_limit() -> None:
    x = torch.ones(1, requires_grad=True)
    y = x
    for _ in range(20_000):
        y = y + 1
    assert len(graph_nodes(y)) == 20_001


def test_names_of_what_is_saved() -> None:
    x = torch.ones(3, requires_grad=True)
    assert saved_names(x.exp() + x.sin())["ExpBackward0"] == ("result",)
    assert saved_names(x.exp() + x.sin())["SinBackward0"] == ("self",)
    assert saved_names(x + x) == {"AccumulateGrad": (), "AddBackward0": ()}


def test_a_tensor_without_history_is_a_clear_error() -> None:
    with pytest.raises(ValueError, match="has no history"):
        graph_nodes(torch.ones(1))
