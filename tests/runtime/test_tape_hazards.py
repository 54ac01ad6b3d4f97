"""What was overwritten: the saves that are marked, the writes that did it, and what the formats say of them."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch

from inplace_guard.runtime.tape import tape
from inplace_guard.runtime.tape.observe import Observation, observe
from minigpt_fixture.tape import loss as minigpt_loss


@cache
def broken(name: str, *, repaired: bool = False) -> Observation:
    return observe(lambda: minigpt_loss(name, repaired=repaired))


def test_the_classic_break() -> None:
    observed = broken("residual-add")
    tape = observed.tape
    hit = [node.module for node in tape.ordered("forward") if node.clobbered]
    assert hit == ["blocks.0.ln1", "blocks.0.ln2", "blocks.1.ln1", "blocks.1.ln2"]
    (stream,) = [storage for storage in tape.storages if storage.writes]
    lines = [(mark.site.source, mark.site.module) for mark in stream.writes]
    attention, feed_forward = "h.add_(self.attn(self.ln1(h)))", "h.add_(self.ffn(self.ln2(h)))"
    assert lines == [
        (attention, "blocks.0"), (feed_forward, "blocks.0"), (attention, "blocks.1"), (feed_forward, "blocks.1"),
    ]  # fmt: skip
    assert [len(mark.broke) for mark in stream.writes] == [1, 2, 3, 4]
    last = next(node for node in tape.nodes if node.module == "blocks.1.ln2")
    assert observed.lifetimes.stopped_at == last.number
    assert {finding.code for finding in observed.findings} == {"IPG101"}
    assert all(finding.needed is not None for finding in observed.findings)


@pytest.mark.parametrize(
    ("name", "codes", "clobbered"),
    [
        ("clone-before-norm", {"IPG101"}, 4),
        ("relu-saved", {"IPG101"}, 2),
        ("exp-saved", {"IPG101"}, 2),
        ("numpy-view", {"IPG202"}, 2),
        ("data-add", {"IPG201"}, 0),  # the norms are cut off from the loss: there is no save left to overwrite
        ("checkpoint-closure", {"IPG209"}, 0),  # the save exists only while the segment is computed again
        ("ctx-norm", {"IPG204"}, 0),  # kept on ctx, where the graph does not show it
        ("relu-after-linear", set(), 0),
        ("exp-fresh", set(), 0),
    ],
)
def test_every_break(name: str, codes: set[str], clobbered: int) -> None:
    observed = broken(name)
    assert {finding.code for finding in observed.findings} == codes
    assert observed.tape.totals.clobbered == clobbered


@pytest.mark.parametrize("name", ["residual-add", "data-add", "numpy-view"])
def test_repaired_nothing_is_left(name: str) -> None:
    observed = broken(name, repaired=True)
    assert observed.findings == ()
    assert observed.tape.totals.clobbered == 0
    assert observed.lifetimes.error is None


def test_a_write_that_breaks_nothing_is_a_mark_too() -> None:
    observed = broken("relu-after-linear")
    marks = [mark for storage in observed.tape.storages for mark in storage.writes]
    assert marks
    assert all(not mark.broke for mark in marks)
    assert all("relu_" in (mark.site.source or "") for mark in marks)


def test_a_write_past_the_counter() -> None:
    def loss() -> Any:
        y = torch.ones(3, requires_grad=True).exp()
        y.detach().numpy()[0] = np.float32(5)
        return y.sum()

    observed = observe(loss)
    (save,) = [save for node in observed.tape for save in node.saved]
    assert save.clobbered
    (mark,) = observed.tape.storages[0].writes
    assert mark.site.line == loss.__code__.co_firstlineno + 2


@pytest.mark.parametrize("fused", [False, True])
def test_a_parameter_that_the_optimizer_wrote_has_a_bar(fused: bool) -> None:
    model = torch.nn.Linear(3, 3)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, fused=fused)

    def loss() -> Any:
        h = torch.ones(2, 3, requires_grad=True)
        first, second = model(h).sum(), model(h * 2).sum()
        first.backward()
        optimizer.step()
        return second

    observed = observe(loss)
    (bar,) = [bar for bar in observed.lifetimes.bars if observed.tape.storages[bar.storage - 1].parameter]
    storage = observed.tape.storages[bar.storage - 1]
    assert storage.name == "weight"
    assert [mark.site.op for mark in storage.writes] == ["SGD.step"]
    assert [finding.code for finding in observed.findings] == ["IPG203" if fused else "IPG107"]
    assert (observed.lifetimes.error is None) is fused
    assert observed.lifetimes.peak == observed.tape.totals.distinct_bytes


def test_old_writes_to_memory_that_is_used_again_are_not_marks() -> None:
    def loss() -> torch.Tensor:
        x = torch.ones(4096, requires_grad=True)
        for _ in range(20):  # each buffer is gone before the next one gets its memory
            torch.empty(4096).fill_(1).add_(1)
        return (x * 2).exp().sum()

    assert all(not storage.writes for storage in observe(loss).tape.storages)


def test_without_a_guard_the_verdict_is_pytorchs() -> None:
    y = torch.ones(3, requires_grad=True).exp()
    loss = y.sin().sum()
    y.add_(1)
    found = tape(loss)
    assert found.totals.clobbered == 2
    assert found.storages[0].writes == ()
    assert str(found).count("<- OVERWRITTEN") == 2


def test_dot_holds_every_node_and_edge_and_marks_hazards() -> None:
    tape = broken("residual-add").tape
    dot = tape.to_dot()
    assert len(re.findall(r"^ *n\d+ \[label=", dot, re.MULTILINE)) == len(tape)
    assert len(re.findall(r"n\d+ -> n\d+;", dot)) == sum(len(node.inputs) for node in tape)
    red = re.findall(r'n(\d+) \[label="[^"]*", color=red', dot)
    assert {int(number) for number in red} == {node.number for node in tape if node.clobbered}
    assert dot.count("{") == dot.count("}")
    assert len(re.findall(r'subgraph "cluster_blocks\.0\.attn\.q"', dot)) == 1


def test_dot_quotes_what_is_strange() -> None:
    strange = type('a"b\\', (torch.autograd.Function,), {"forward": staticmethod(lambda ctx, x: x * 1)})
    text = tape(strange.apply(torch.ones(1, requires_grad=True))).to_dot()  # type: ignore[attr-defined]
    assert r"a\"b\\Backward" in text
