"""The tape against PyTorch's own graph: counts, bytes, lines, modules, shapes, what was saved and who shares it."""

from __future__ import annotations

import gc
import importlib
import json
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import inplace_guard
from inplace_guard.runtime.tape import Tape, TapeError, tape
from inplace_guard.runtime.tape.observe import observe
from minigpt_fixture.case import build_case
from minigpt_fixture.measure import graph_nodes, node_kinds, saved_bytes
from minigpt_fixture.tape import loss as minigpt_loss


@pytest.fixture(scope="module")
def minigpt() -> Tape:
    return observe(minigpt_loss, "mini-GPT").tape


def test_the_counts_of_the_reference_case(minigpt: Tape) -> None:
    total = minigpt.totals
    assert (total.nodes, total.accumulate, total.all_nodes) == (119, 38, 157)
    assert (total.distinct_bytes, total.each_bytes, total.parameter_bytes) == (88_596, 115_220, 526_848)


def test_a_walk_of_its_own_counts_the_same() -> None:
    case = build_case()
    loss = case.loss_fn(case.model(case.batch.tokens), case.batch.targets)
    found = tape(loss)
    assert len(found) == len(graph_nodes(loss))
    kinds = dict(found.totals.kinds) | {"AccumulateGrad": found.totals.accumulate}
    assert kinds == dict(node_kinds(loss))
    own = saved_bytes(loss, case.model.parameters())
    total = found.totals
    assert (total.distinct_bytes, total.each_bytes, total.parameter_bytes) == (own.distinct, own.each, own.parameters)


def test_what_pytorch_packs_is_what_the_tape_lists() -> None:
    case = build_case()
    parameters = {p.untyped_storage().data_ptr() for p in case.model.parameters()}
    packed: list[torch.Tensor] = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t):
        case.loss_fn(case.model(case.batch.tokens), case.batch.targets)
    case = build_case()
    total = tape(case.loss_fn(case.model(case.batch.tokens), case.batch.targets)).totals
    activations = [t for t in packed if t.untyped_storage().data_ptr() not in parameters]
    distinct = {t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in activations}
    numbers = 2  # the divisor of `/ 4` in either block: PyTorch saves it as a tensor of 8 bytes, past all hooks
    assert total.saves == len(packed) + numbers
    assert total.each_bytes == sum(t.nbytes for t in activations) + 8 * numbers
    assert total.distinct_bytes == sum(distinct.values()) + 8 * numbers


def test_the_engine_runs_as_many_nodes() -> None:
    case = build_case()
    loss = case.loss_fn(case.model(case.batch.tokens), case.batch.targets)
    total = tape(loss).totals
    ran: list[str] = []

    def note(name: str) -> Callable[[Any], None]:
        return lambda grads: ran.append(name)

    for node in graph_nodes(loss):
        node.register_prehook(note(node.name()))
    loss.backward()
    assert len(ran) == total.all_nodes
    assert sum("AccumulateGrad" in name for name in ran) == total.accumulate


def test_every_node_has_its_line_and_module(minigpt: Tape) -> None:
    for node in minigpt.ordered("forward"):
        assert node.site is not None, node
        assert node.site.source, node
    first, last = minigpt.ordered("forward")[0], minigpt.ordered("backward")[0]
    assert (first.kind, first.module, first.shapes) == ("EmbeddingBackward0", "tok_emb", ((1, 8, 64),))
    assert (last.kind, last.module, last.shapes) == ("NllLossBackward0", None, ((),))
    by_module = {node.module for node in minigpt.nodes}
    assert {"blocks.0", "blocks.0.ln1", "blocks.1.attn.q", "blocks.1.ffn.fc2", "ln_f", "head"} <= by_module
    add = next(node for node in minigpt.ordered("forward") if node.kind == "AddBackward0" and node.module == "blocks.0")
    assert add.site is not None
    assert add.site.source == "h = h + self.attn(self.ln1(h))"


def test_shapes_are_those_of_the_results(minigpt: Tape) -> None:
    shapes = {(node.module, node.kind): node.shapes[0] for node in minigpt.nodes}
    assert shapes["blocks.0.attn", "SoftmaxBackward0"] == (1, 4, 8, 8)
    assert shapes["blocks.0.ffn", "GeluBackward0"] == (1, 8, 256)
    assert shapes["head", "AddmmBackward0"] == (8, 512)


def test_what_a_node_saved_and_from_where(minigpt: Tape) -> None:
    gelu = next(node for node in minigpt.nodes if node.kind == "GeluBackward0")
    (save,) = gelu.saved
    assert (save.name, save.role, save.shape, save.dtype) == ("self", "input", (1, 8, 256), "float32")
    assert save.nbytes == 8192
    assert save.source in gelu.inputs
    softmax = next(node for node in minigpt.nodes if node.kind == "SoftmaxBackward0")
    assert [(save.name, save.role) for save in softmax.saved] == [("result", "result")]
    norm = next(node for node in minigpt.nodes if node.kind == "NativeLayerNormBackward0")
    roles = {save.name: save.role for save in norm.saved}
    assert roles == {"bias": "input", "input": "input", "result1": "result", "result2": "result", "weight": "input"}
    nll = next(node for node in minigpt.nodes if node.kind == "NllLossBackward0")
    assert {save.name: save.role for save in nll.saved}["total_weight"] == "result"


def test_shared_memory_and_parameters(minigpt: Tape) -> None:
    assert "shared with #118 result" in str(minigpt)
    weight = next(storage for storage in minigpt.storages if storage.name == "blocks.1.attn.out.weight")
    assert weight.parameter
    assert weight.nbytes == 64 * 64 * 4
    query = next(node for node in minigpt.ordered("forward") if node.module == "blocks.0.attn.q" and node.saved)
    mat1 = next(save for save in query.saved if save.name == "mat1")
    assert len(minigpt.storages[mat1.storage - 1].savers) == 3  # q, k and v read the same tensor


def test_the_two_orders_mirror_each_other(minigpt: Tape) -> None:
    forward, backward = minigpt.ordered("forward"), minigpt.ordered("backward")
    assert forward == backward[::-1]
    assert [node.number for node in forward] == list(range(1, 120))
    seen: set[int] = set()
    leaves = {node.number for node in minigpt.nodes if node.leaf is not None}
    for node in forward:  # a node takes only what was there before it
        assert set(node.inputs) <= seen | leaves
        seen.add(node.number)


def test_names_of_leaves(minigpt: Tape) -> None:
    names = {node.leaf for node in minigpt.nodes if node.leaf is not None}
    assert names == {name for name, _ in build_case().model.named_parameters()}


def test_two_models_keep_apart() -> None:
    def loss() -> torch.Tensor:
        one, two = nn.Sequential(nn.Linear(2, 2)), nn.Sequential(nn.Linear(2, 2))
        other = nn.ModuleList([nn.Linear(2, 1)])
        return nn.MSELoss()(other[0](two(one(torch.ones(1, 2)))), torch.zeros(1, 1))

    modules = {node.module for node in observe(loss).tape.ordered("forward")}
    assert modules == {"Sequential.0", "Sequential_2.0", "ModuleList.0", "MSELoss"}


def test_a_helper_far_below_forward_belongs_to_its_module() -> None:
    def deeper(x: torch.Tensor, left: int) -> torch.Tensor:
        return deeper(x, left - 1) if left else x.exp()

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Sequential(Deep())

        def forward(self, x: torch.Tensor) -> Any:
            return self.inner(x).sum()

    class Deep(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return deeper(x, 20)

    def loss() -> Any:
        return Model()(torch.ones(2, requires_grad=True))

    assert [node.module for node in observe(loss).tape.ordered("forward")] == ["inner.0", ""]


def test_the_plain_api_knows_the_lines_of_a_guard() -> None:
    x = torch.ones(3, requires_grad=True)
    with inplace_guard.guard():
        y = x.exp().sum()
        found = inplace_guard.tape(y)
    assert isinstance(found, Tape)
    assert [node.name for node in found] == ["SumBackward0", "ExpBackward0", "torch::autograd::AccumulateGrad"]
    (exp,) = [node for node in found if node.saved]
    assert exp.site is not None
    assert exp.site.source == "y = x.exp().sum()"
    assert inplace_guard.tape(y).nodes[1].site is None
    y.backward()  # the graph was looked at and left as it was


def test_it_keeps_nothing_alive() -> None:
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    loss = y.sum()
    found = tape(loss)
    memory = weakref.ref(y.untyped_storage())
    del y, loss
    gc.collect()
    assert memory() is None
    assert found.totals.saves == 1


@pytest.mark.parametrize("make", [lambda: torch.ones(2).sum(), lambda: torch.ones(2, requires_grad=True)])
def test_without_history(make: Callable[[], torch.Tensor]) -> None:
    with pytest.raises(TapeError, match="has no history") as caught:
        tape(make())
    assert "\n" not in str(caught.value)


def test_after_backward_the_saves_are_said_to_be_gone() -> None:
    loss = torch.ones(3, requires_grad=True).exp().sum()
    loss.backward()
    found = tape(loss)
    assert found.totals.freed == 1
    assert found.totals.saves == 0
    assert "1 nodes were freed by an earlier backward" in str(found)


def test_a_function_that_spends_its_own_graph() -> None:
    def loss() -> torch.Tensor:
        value = torch.ones(3, requires_grad=True).exp().sum()
        value.backward()
        return value

    with pytest.raises(TapeError, match="the graph is freed"):
        observe(loss)


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        result = x * x
        ctx.save_for_backward(x, result)
        return result

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        return 2 * ctx.saved_tensors[0] * grad


def test_custom_functions() -> None:
    def loss() -> Any:
        return Square.apply(torch.ones(3, requires_grad=True) * 2).sum()

    node = observe(loss).tape.ordered("forward")[1]
    assert node.kind == "SquareBackward"
    assert [(save.name, save.role) for save in node.saved] == [("tensors[0]", "input"), ("tensors[1]", "result")]
    assert node.site is not None
    assert "Square.apply" in (node.site.source or "")


def test_a_custom_function_without_a_name() -> None:
    members = {"forward": staticmethod(lambda ctx, x: x * 2), "backward": staticmethod(lambda ctx, grad: grad * 2)}
    nameless: Any = type("", (torch.autograd.Function,), members)
    found = tape(nameless.apply(torch.ones(2, requires_grad=True)).sum())
    assert found.nodes[1].name == "Backward (a custom Function without a name)"
    assert json.dumps(found.to_json())
    assert "without a name" in found.to_dot()


def test_tensors_that_only_a_hook_could_unpack() -> None:
    asked = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: {"kept": t}, lambda kept: asked.append(1) or kept["kept"]):
        loss = torch.ones(3, requires_grad=True).exp().sum()
    found = tape(loss)
    (save,) = (save for node in found for save in node.saved)
    assert save.storage is None
    assert save.dtype == "what a pack hook made: dict"
    assert not asked
    assert "what a pack hook made: dict" in str(found)


@pytest.mark.parametrize(
    "make",
    [
        lambda x: torch.view_as_real(torch.complex(x, x).exp()).sum(),
        lambda x: (x.to_sparse() * 2).to_dense().sum(),
        lambda x: x[x > 0].sum() + torch.stack([x, x]).unbind()[0].prod(),
        lambda x: F.scaled_dot_product_attention(x[None, None], x[None, None], x[None, None]).sum(),
        lambda x: torch.utils.checkpoint.checkpoint(torch.sigmoid, x, use_reentrant=False).sum(),
        lambda x: nn.LSTM(3, 4)(x)[0].sum(),
        lambda x: (x * 1)[:1].mul_(2).sum(),
        lambda x: x.new_zeros(0).sum() + (x * x.new_ones(1)).sum(),
    ],
    ids=["complex", "sparse", "index", "attention", "checkpoint", "lstm", "view write", "empty"],
)
def test_all_kinds_of_graphs(make: Callable[[torch.Tensor], torch.Tensor]) -> None:
    def loss() -> torch.Tensor:
        return make(torch.ones(3, 3, requires_grad=True))

    observed = observe(loss)
    assert observed.lifetimes.error is None
    assert observed.findings == ()
    assert len(observed.tape) == len(graph_nodes(loss()))
    assert json.loads(json.dumps(observed.document()))["totals"]["nodes"] == observed.tape.totals.nodes
    assert str(observed.tape)


def test_without_the_metadata_of_nodes_shapes_are_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    loss = torch.ones(3, requires_grad=True).exp().sum()
    module = importlib.import_module("inplace_guard.runtime.tape.collect")
    monkeypatch.setattr(module, "_METADATA", "_gone")
    found = tape(loss)
    assert [node.shapes for node in found] == [(), (), ()]
    assert "  ?  " in str(found)
