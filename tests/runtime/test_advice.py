"""The `fix:` lines of run-time reports: they name what was written, and what they say to write works."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

import pytest

START = """
w = torch.ones(3, requires_grad=True)
lr = 0.1
"""
# what was written, the statement, what the report says to put in its place, and the program around it
CASES: dict[str, tuple[str, str, str, str]] = {
    "a variable": ("h", "h.mul_(lr + 1)", "h = h * (lr + 1)", "h = w.exp()\n@\nh.sum().backward()"),
    "an item of a dict": (
        'fast["w"]',
        'fast["w"].sub_(lr * fast["w"])',
        'fast["w"] = fast["w"] - lr * fast["w"]',
        'fast = {"w": w.exp()}\n@\nfast["w"].sum().backward()',
    ),
    "an item of a dict, by an operator": (
        'fast["w"]',
        'fast["w"] -= lr',
        'fast["w"] = fast["w"] - lr',
        'fast = {"w": w.exp()}\n@\nfast["w"].sum().backward()',
    ),
    "an item of a dict, by a variable": (
        "fast[k]",
        "fast[k].clamp_(min=0)",
        "fast[k] = fast[k].clamp(min=0)",
        'fast = {"w": w.exp()}\nfor k in fast:\n    @\nfast["w"].sum().backward()',
    ),
    "an item of a list": (
        "hs[0]",
        "hs[0].mul_(2)",
        "hs[0] = hs[0] * 2",
        "hs = [w.exp()]\n@\nhs[0].sum().backward()",
    ),
    "a loop over items": (
        "v",
        "v.sub_(lr * g)",
        "fast[k] = v - lr * g",
        'fast = {"w": w.exp()}\nfor (k, v), g in zip(fast.items(), [2]):\n    @\nfast["w"].sum().backward()',
    ),
    "a loop over items that reads it again": (
        "v",
        "v *= 2",
        "v = fast[k] = v * 2",
        'fast = {"w": w.exp()}\nfor k, v in fast.items():\n    @\n    s = v.sum()\ns.backward()',
    ),
    "a loop over a list with numbers": (
        "h",
        "h.mul_(2)",
        "hs[i] = h * 2",
        "hs = [w.exp()]\nfor i, h in enumerate(hs):\n    @\nhs[0].sum().backward()",
    ),
    "a name bound anew in the loop": (
        "h",
        "h.mul_(2)",
        "h = h * 2",
        "for h in [w]:\n    h = h.exp()\n    @\n    h.sum().backward()",
    ),
    "a loop over a list": (
        "h",
        "for h in hs:\n    h.mul_(2)",
        "hs = [h * 2 for h in hs]",
        "hs = [w.exp()]\n@\nhs[0].sum().backward()",
    ),
    "a loop over values": (
        "v",
        "for v in fast.values():\n    v.sub_(0.1)",
        "fast = {k: v - 0.1 for k, v in fast.items()}",
        'fast = {"w": w.exp()}\n@\nfast["w"].sum().backward()',
    ),
    "a list of an object": (
        "h",
        "for h in box.hs:\n    h.mul_(2)",
        "box.hs = [h * 2 for h in box.hs]",
        "box = nn.Identity()\nbox.hs = [w.exp()]\n@\nbox.hs[0].sum().backward()",
    ),
    "an item of a list of an object": (
        "box.hs[0]",
        "box.hs[0].mul_(2)",
        "box.hs[0] = box.hs[0] * 2",
        "box = nn.Identity()\nbox.hs = [w.exp()]\n@\nbox.hs[0].sum().backward()",
    ),
    "a name for an item": (
        "v",
        "v.mul_(2)",
        "hs[k] = v * 2",
        "hs = [w.exp()]\nfor k in range(1):\n    v = hs[k]\n    @\nhs[0].sum().backward()",
    ),
    "a loop over what nobody keeps": (
        "h",
        "h.mul_(2)",
        "h = h * 2",
        "for h in (w.exp(), w.exp()):\n    @\n    h.sum().backward()",
    ),
    "several lists": (
        "h",
        "for h, g in zip(hs, gs):\n    h += g",
        "hs = [h + g for h, g in zip(hs, gs)]",
        "hs, gs = [w.exp()], [1]\n@\nhs[0].sum().backward()",
    ),
}


def _fixes(outcome: Any) -> list[str]:
    return [line for finding in outcome.findings for line in finding.details if line.startswith("fix:")]


def _program(text: str, statement: str) -> str:
    lines = []
    for line in text.split("\n"):
        indentation = line[: len(line) - len(line.lstrip())]
        lines.append(textwrap.indent(statement, indentation) if line.strip() == "@" else line)
    return START + "\n".join(lines) + "\nresult = w.grad"


@pytest.mark.parametrize("case", CASES)
def test_what_is_advised_works(run: Callable[..., Any], case: str) -> None:
    name, before, after, text = CASES[case]
    broken = run(_program(text, before))
    assert broken.codes == ["IPG101"]
    assert f"overwrote `{name}`" in broken.findings[0].message
    assert len(_fixes(broken)) == 1
    assert f"`{after}`" in _fixes(broken)[0]
    mended = run(_program(text, after))
    assert mended.error is None
    assert not mended.findings
    assert bool((mended.value > 0).all())


def test_no_loop_variable_is_bound_anew_where_that_would_lose_the_write(run: Callable[..., Any]) -> None:
    outcome = run(
        _program("hs = [w.exp()]\nfor h in hs:\n    n = h.shape[0]\n    h.mul_(n)\nhs[0].sum().backward()", "")
    )
    (fix,) = _fixes(outcome)
    assert "`h` is an item of `hs`" in fix
    assert "new container" in fix
    assert "h = h" not in fix


def test_part_of_an_item_is_copied_as_the_item(run: Callable[..., Any]) -> None:
    outcome = run(_program('fast = {"w": w.exp()}\nfast["w"][0] = 1\nfast["w"].sum().backward()', ""))
    (fix,) = _fixes(outcome)
    assert '`fast["w"] = fast["w"].clone()`' in fix


def test_nothing_is_put_into_a_tuple(run: Callable[..., Any]) -> None:
    outcome = run(_program("hs = (w.exp(),)\nhs[0].mul_(2)\nhs[0].sum().backward()", ""))
    (fix,) = _fixes(outcome)
    assert "overwrote `hs[0]`" in outcome.findings[0].message
    assert fix == "fix: compute it out of place, as a new tensor, and use that from here on"


def test_a_tensor_index_is_no_item(run: Callable[..., Any]) -> None:
    outcome = run(_program("h = w.exp()\nh[0].mul_(2)\nh.sum().backward()", ""))
    (fix,) = _fixes(outcome)
    assert "`h = h.clone()`" in fix
    assert "h[0] =" not in fix


@pytest.mark.parametrize("write", ["p.data.clamp_(-0.1, 0.1)", "p.data.copy_(p.data * 0.5)", "p.data *= 0.5"])
def test_parameters_are_written_after_the_backward(run: Callable[..., Any], write: str) -> None:
    program = """
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    loss = net(torch.randn(8, 3)).pow(2).mean()
    for p in net.parameters():
        @
    loss.backward()
    """
    outcome = run(program.replace("@", write))
    assert set(outcome.codes) == {"IPG201"}
    (fix,) = _fixes(outcome)
    assert "behind the backward" in fix
    assert "torch.no_grad()" in fix
    assert "h = h" not in fix


@pytest.mark.parametrize(
    ("write", "fix"), [("h.data.mul_(2)", "h = h * 2"), ("h.data += 1", "h = h + 1"), ("h.data.zero_()", "h = h + ...")]
)
def test_intermediate_results_are_written_without_data(run: Callable[..., Any], write: str, fix: str) -> None:
    outcome = run(_program(f"h = w.exp()\n{write}\nh.sum().backward()", ""))
    assert outcome.codes == ["IPG201"]
    assert f"drop .data: write `{fix}`" in _fixes(outcome)[0]


def test_parameters_written_under_no_grad_are_written_after_the_backward(run: Callable[..., Any]) -> None:
    outcome = run(_program("loss = (w * w).sum()\nwith torch.no_grad():\n    w.mul_(2)\nloss.backward()", ""))
    assert outcome.codes == ["IPG101"]
    assert "behind the backward" in _fixes(outcome)[0]


def test_pieces_are_put_together_again(run: Callable[..., Any]) -> None:
    outcome = run(_program("h = w * 2\nfor row in h.unbind(0):\n    row.mul_(0.5)\nh.sum().backward()", ""))
    assert outcome.codes == ["IPG105"]
    assert "torch.stack" in _fixes(outcome)[0]
    assert ".clone()" not in _fixes(outcome)[0]
