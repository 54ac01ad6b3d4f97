"""PyTorch's other in-place and graph errors: the code, the line, and words that help."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

NATIVE: dict[str, tuple[str, str, str]] = {
    "leaf": (
        "IPG103",
        "no_grad",
        """
        w = torch.zeros(3, requires_grad=True)
        w += 1  # wrote
        """,
    ),
    "parameter": (
        "IPG103",
        "no_grad",
        """
        layer = nn.Linear(2, 1)
        layer.weight.mul_(0.5)  # wrote
        """,
    ),
    "view of a leaf": (
        "IPG104",
        "clone",
        """
        table = nn.Parameter(torch.zeros(4, 2))
        table[0] = 1  # wrote
        """,
    ),
    "one of several views": (
        "IPG105",
        "out of place",
        """
        a, b = (torch.zeros(4, requires_grad=True) * 1).chunk(2)
        a.add_(1)  # wrote
        """,
    ),
    "the base of several views": (
        "IPG105",
        "before the views are made",
        """
        both = torch.zeros(4, requires_grad=True) * 1
        a, b = both.chunk(2)
        both.clamp_(min=0)  # wrote
        a + b
        """,
    ),
    "a view made under no_grad": (
        "IPG105",
        "no_grad",
        """
        h = torch.zeros(4, requires_grad=True) * 1
        with torch.no_grad():
            v = h[:2]
        v.mul_(2)  # wrote
        """,
    ),
    "behind a module's backward hook": (
        "IPG105",
        "hook",
        """
        layer = nn.Linear(2, 2)
        layer.register_full_backward_hook(lambda *args: None)
        layer(torch.randn(1, 2)).relu_()  # wrote
        """,
    ),
    "what a custom Function passed through": (
        "IPG109",
        "Pass",
        """
        class Pass(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x

            @staticmethod
            def backward(ctx, grad):
                return grad

        h = Pass.apply(torch.zeros(2, requires_grad=True) * 1)
        h.add_(1)  # wrote
        """,
    ),
    "dirty and not returned": (
        "IPG109",
        "return the input",
        """
        class Bad(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                x.clamp_(min=0)  # wrote
                ctx.mark_dirty(x)
                return x.sum()

            @staticmethod
            def backward(ctx, grad):
                return grad

        Bad.apply(torch.zeros(2, requires_grad=True) * 1)
        """,
    ),
    "inference tensor written": (
        "IPG108",
        "inference",
        """
        with torch.inference_mode():
            x = torch.ones(2)
        x.add_(1)  # wrote
        """,
    ),
    "inference tensor saved": (
        "IPG108",
        "inference",
        """
        with torch.inference_mode():
            x = torch.ones(2)
        torch.ones(2, requires_grad=True) * x  # wrote
        """,
    ),
    "expanded memory": (
        "IPG106",
        "clone",
        """
        x = torch.zeros(3).expand(2, 3)
        x.add_(1)  # wrote
        """,
    ),
    "overlapping parts": (
        "IPG106",
        "clone",
        """
        x = torch.zeros(4)
        x[1:] = x[:-1]  # wrote
        """,
    ),
    "out= with a gradient": (
        "IPG110",
        "out=",
        """
        out = torch.empty(2)
        torch.add(torch.ones(2, requires_grad=True), 1, out=out)  # wrote
        """,
    ),
    "a tensor captured by torch.func": (
        "IPG101",
        "torch.func",
        """
        total = torch.zeros(2)

        def loss(x):
            total.add_(x)  # wrote
            return total.sum()

        torch.func.grad(loss)(torch.ones(2))
        """,
    ),
    "a second backward": (
        "IPG301",
        "retain_graph",
        """
        y = (torch.ones(2, requires_grad=True) ** 2).sum()
        y.backward()
        y.backward()  # wrote
        """,
    ),
    "nothing to go backward through": (
        "IPG302",
        "no_grad",
        """
        with torch.no_grad():
            y = torch.ones(2, requires_grad=True).sum()
        y.backward()  # wrote
        """,
    ),
}


@pytest.mark.parametrize("name", NATIVE)
def test_the_error_is_explained_at_its_line(name: str, run: Callable[..., Any]) -> None:
    code, word, source = NATIVE[name]
    outcome = run(source)
    plain = run(source, guarded=False)
    assert type(outcome.error) is type(plain.error) is RuntimeError
    assert outcome.text.split("\n")[0] == plain.text.split("\n")[0]
    assert outcome.codes == [code]
    assert outcome.wrote == outcome.marked["wrote"]
    assert word in outcome.text[len(plain.text) :]


def test_a_second_backward_says_who_freed_the_graph(run: Callable[..., Any]) -> None:
    outcome = run("""
        y = (torch.ones(2, requires_grad=True) ** 2).sum()
        y.backward()
        y.backward()
    """)
    assert "freed by the backward at program1.py:5" in outcome.text


def test_an_in_place_module_in_a_container_is_named_where_it_was_built(run: Callable[..., Any]) -> None:
    outcome = run("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first = nn.Linear(2, 2)
                self.rest = nn.Sequential(nn.ReLU(inplace=True), nn.Linear(2, 2))

            def forward(self, x):
                h = self.first(x)
                gate = h.square()
                return self.rest(h) * gate

        net = Net()
        net(torch.randn(1, 2)).sum().backward()
    """)
    (found,) = outcome.findings
    assert found.write.line == 8
    assert found.write.op == "ReLU(inplace=True)"
    assert found.write.module == "rest.0"
    assert any("reached from" in detail for detail in found.details)
    assert any("without inplace=True" in detail for detail in found.details)


def test_module_paths_tell_equal_blocks_apart(run: Callable[..., Any]) -> None:
    outcome = run("""
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.ln1, self.fc = nn.LayerNorm(2), nn.Linear(2, 2)

            def forward(self, h):
                h.add_(self.fc(self.ln1(h)))
                return h

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.embed = nn.Linear(2, 2)
                self.blocks = nn.ModuleList(Block() for _ in range(3))

            def forward(self, x):
                h = self.embed(x)
                for block in self.blocks:
                    h = block(h)
                return h

        net = Net()
        net(torch.randn(1, 2)).sum().backward()
    """)
    (found,) = outcome.findings
    assert found.saved.module == "blocks.2.ln1"
    assert found.write.module == "blocks.2"
    text = " ".join(found.details)
    assert "3 saved tensors" in text
    assert "blocks.0.ln1" in text
    assert "blocks.1.ln1" in text


def test_it_says_whether_the_saved_elements_changed(run: Callable[..., Any]) -> None:
    apart = run("""
        memory = torch.zeros(2, 3)
        y = (torch.randn(3, requires_grad=True) * memory[0]).sum()
        memory[1] = 1
        y.backward()
    """)
    assert any("other elements of the same memory" in detail for detail in apart.findings[0].details)
    same = run("""
        memory = torch.zeros(2, 3)
        y = (torch.randn(3, requires_grad=True) * memory[0]).sum()
        memory[0, 1] = 1
        y.backward()
    """)
    assert not any("other elements" in detail for detail in same.findings[0].details)


def test_versions_and_a_way_out_are_given(run: Callable[..., Any]) -> None:
    outcome = run("""
        h = torch.randn(3, requires_grad=True) * 1
        y = h.sin()
        h.add_(y)
        h.sum().backward()
    """)
    details = " ".join(outcome.findings[0].details)
    assert "version 1 now, 0 when it was saved" in details
    assert "`h = h + y`" in details
    assert "overwrote `h`" in outcome.findings[0].message


def test_a_step_counts_its_parameters_and_warns_of_retain_graph(run: Callable[..., Any]) -> None:
    outcome = run("""
        net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
        opt = torch.optim.AdamW(net.parameters())
        kept = net(torch.randn(2, 3, requires_grad=True)).sum()
        net(torch.randn(2, 3)).sum().backward()
        opt.step()
        kept.backward()
    """)
    (found,) = outcome.findings
    assert found.message.startswith("optimizer.step() of AdamW at program1.py:8 wrote 2 parameters that the graph")
    assert "retain_graph=True" in " ".join(found.details)
