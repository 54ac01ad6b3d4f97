"""Random programs that write tensors in place through all kinds of names, and what they compute."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import torch

HEAD = """\
import torch
import torch.nn as nn
import torch.nn.functional as F

kept = []


def shifted(p):
    p += 1
    return p


def shift(p):
    p.add_(1)


def mixed(p, q):
    q = q * p
    p.mul_(q)
    return p + q


def doubled(p):
    r = p
    r *= 2
    return flat(r)


def flat(p):
    return p.view(-1)


def keep(p):
    kept.append(p)
    p *= 0.5
    return p


class Pair:
    def __init__(self, one, two):
        self.one, self.two = one, two


class Sub(nn.Module):
    def forward(self, p):
        p += 0.25
        return p


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU(inplace=True)
        self.seq = nn.Sequential(nn.Identity(), nn.ReLU(inplace=True))
        self.sub = Sub()
        self.h = torch.ones(3)

    def method(self, p):
        p -= 0.125
        return p

    def run(self, x, y, flag):
        a, b, c = x * 0.5, y + 1, torch.sigmoid(x)
        xs = [a, b]
        kept.append(c)
"""
TAIL = """

def main(flag, x, y):
    kept.clear()
    kept.append(torch.full((3,), 0.7))
    net = Net()
    out = {call}
    return {result}
"""
SIMPLE = (
    "{v} = {w}",
    "{v} = {w}.view(-1)",
    "{v} = {w}[:]",
    "{v} = {w}.detach()",
    "{v} = {w}.contiguous()",
    "{v} = {w} * 0.5",
    "{v} = torch.sigmoid({w})",
    "{v} = {w}.clone()",
    "{v} = torch.stack([{w}, {u}]).mean(0)",
    "{v} += {w}",
    "{v} -= {w} * 0.5 - 1",
    "{v} *= torch.sigmoid({w})",
    "{v}.mul_({w})",
    "{v}.add_({w})",
    "{v}.sub_({w}).mul_(0.5)",
    "{v}.zero_()",
    "{v}.copy_({w})",
    "{v}.view(-1).add_(1)",
    "{v}[:].mul_(0.5)",
    "F.relu_({v})",
    "F.relu({v}, inplace=True)",
    "{v}[0] = 0.3",
    "{v}[1:] = {w}[:2]",
    "{v}[0] += 1.0",
    "{v}[{v} > 0] = 0.1",
    "{v}[:2] *= {w}[1:]",
    "{v} = {w}.sigmoid_()",
    "{v} = torch.relu_({w})",
    "{v} = F.relu({w}, inplace=True)",
    "{v} = {w}.add_({u}).mul_(0.5)",
    "{v} = {u} + {w}.tanh_()",
    "{v} = {w}.view(-1).tanh_()",
    "{v} = ({u} * 2).tanh_()",
    "{v} = {w}.mul_({w}.tanh_())",
    "xs.append({v})",
    "{v} = xs[0]",
    "{v} = xs[-1]",
    "xs[0] += {v}",
    "xs[0] = {v}",
    "xs[0].mul_({w})",
    "{v} = sum(xs)",
    "xs = [{v}, {w}]",
    "{v}, {w} = {w}, {v}",
    "{v}, {w} = xs[0], xs[-1]",
    "{v} = shifted({w})",
    "shifted({w})",
    "shift({w})",
    "{v} = mixed({w}, {u})",
    "{v} = {u} + shifted({w})",
    "{v} = doubled({w})",
    "{v} = keep({w})",
    "{v} = kept[-1]",
    "{v} = Pair({w}, {u}).one",
    "{v} = [t.mul_(2) for t in ({w}, {u})][0]",
    "{v} = sum(shifted(t) for t in ({w}, {u}))",
    "self.h = {v}",
    "{v} = self.h",
    "self.h += {v}",
    "self.h.mul_({v})",
    "{v} = self.h.add_({w})",
    "{v} = self.act({w})",
    "{v} = self.seq({w})",
    "self.h[0] = 1.0",
    "{v} = self.sub({w})",
    "{v} = self.method({w})",
    "later = lambda: {v} * 2\n{w} = later()",
    "first, rest = {v}[:1], {v}[1:]\nfirst += 1\n{w} = torch.cat([first, rest])",
    "first, rest = {v}[:1], {v}[1:]\nrest.mul_(2)\n{w} = torch.cat([first, rest])",
)
RESULTS = ("a, b, c, xs", "a", "c, y", "a, xs[0]", "b, self.h", "x")
CALLS = ("net.run(x, y, flag)", "net.run(x * 1, y, flag)", "net.run(x, y + 0, flag)")
SEEN = ("out", "out, x", "out, y", "out, net.h", "out, kept")


# Not smooth, or cut off from the gradient.
NO_GRADIENT = ("relu", "act(", "seq(", "zero_", "> 0", "detach")
SMOOTH = tuple(statement for statement in SIMPLE if not any(part in statement for part in NO_GRADIENT))


def program(random: Random, statements: Sequence[str] = SIMPLE) -> str:
    """Defines `main(flag, x, y)`."""
    many = random.choice((1, 2, 2, 3, 3, 4, 5, 7, 10))
    lines = [line for _ in range(many) for line in _statement(random, statements, 0)]
    body = "".join(f"        {line}\n" for line in [*lines, f"return {random.choice(RESULTS)}"])
    return HEAD + body + TAIL.format(call=random.choice(CALLS), result=random.choice(SEEN))


def _statement(random: Random, statements: Sequence[str], depth: int) -> list[str]:
    v, w, u = (random.choice("abcxy") for _ in range(3))
    if depth == 2 or random.random() > 0.12:
        return random.choice(statements).format(v=v, w=w, u=u).split("\n")
    head = random.choice(("if flag:", "for _ in range(2):", "for t in list(xs):", f"for {v} in [{w}, {u}]:"))
    block = [line for _ in range(random.randint(1, 3)) for line in _statement(random, statements, depth + 1)]
    if head.startswith("for") and random.random() < 0.2:
        block += ["if flag:", f"    {random.choice(('break', 'continue'))}"]
    lines = [head, *(f"    {line}" for line in block)]
    if head == "if flag:" and random.random() < 0.3:
        lines += ["else:", *(f"    {line}" for line in _statement(random, statements, depth + 1))]
    return lines


def values(source: str) -> list[Any]:
    """What the program computes for both flags; the error's text where it raises."""
    found: list[Any] = []
    for flag in (False, True):
        try:
            with torch.no_grad():
                found.append(_plain(_run(source, flag, *_inputs())))
        except Exception as error:
            found.append(f"{type(error).__name__}: {error}")
    return found


def gradients(source: str, flag: bool) -> list[float]:
    """The gradient of the sum of all that the program computes, by autograd. Raises what backward raises."""
    inputs = [tensor.requires_grad_() for tensor in _inputs()]
    total = _total(_run(source, flag, *(tensor * 1 for tensor in inputs)))
    if not total.requires_grad:
        return [0.0] * 6
    found = torch.autograd.grad(total, inputs, allow_unused=True)
    return [value for gradient in found for value in (gradient.tolist() if gradient is not None else [0.0] * 3)]


def differences(source: str, flag: bool, step: float = 1e-6) -> list[float]:
    """The same gradient, by differences."""
    found = []
    with torch.no_grad():
        for number in range(6):
            ends = []
            for sign in (1, -1):
                inputs = _inputs()
                inputs[number // 3][number % 3] += sign * step
                ends.append(_total(_run(source, flag, *inputs)).item())
            found.append((ends[0] - ends[1]) / (2 * step))
    return found


def _inputs() -> tuple[torch.Tensor, torch.Tensor]:
    x, y = [0.5, -1.0, 2.0], [1.5, 0.25, -0.5]
    return torch.tensor(x, dtype=torch.float64), torch.tensor(y, dtype=torch.float64)


def _run(source: str, flag: bool, x: torch.Tensor, y: torch.Tensor) -> Any:
    names: dict[str, Any] = {"__name__": "case"}
    torch.set_default_dtype(torch.float64)
    try:
        exec(compile(source, "case.py", "exec"), names)
        return names["main"](flag, x, y)
    finally:
        torch.set_default_dtype(torch.float32)


def _total(value: Any) -> torch.Tensor:
    if isinstance(value, torch.Tensor):
        return value.sum()
    return sum((_total(item) for item in value), torch.zeros((), dtype=torch.float64))


def _plain(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.tolist()
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
