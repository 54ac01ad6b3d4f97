"""In place the left dtype stays; out of place it may not."""

from __future__ import annotations

import pytest

from .marked import Case, cases, check

FRAME = "def f(x, y, scale: float, n=3):\n    h = {}\n    h {}{}\n    return h\n"


def case(left: str, right: str, *, cast: bool = False) -> Case:
    after = f"= (h + {right}).to(h.dtype)" if cast else f"= h + {right}"
    return Case(FRAME.format(left, f"+= {right}", "  # <-"), FRAME.format(left, after, ""), False, "")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("x.exp()", "y.exp()"),
        ("x.half()", "scale"),
        ("x.half()", "2 * n"),
        ("x.half()", "len(y)"),
        ("x.half()", "y.half()"),
        ("x.float()", "y.exp()"),
        ("x.double()", "y.float()"),
        ("torch.zeros(3, dtype=torch.float64)", "y.half()"),
        ("x.gather(1, y.long())", "y.exp()"),
    ],
)
def test_the_same(left: str, right: str) -> None:
    check(case(left, right))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("x.exp()", "y.double()"),
        ("x.exp()", "y.to(torch.float64)"),
        ("x.exp()", "torch.from_numpy(y)"),
        ("x.half()", "y.exp()"),
        ("x.half()", "y.bfloat16()"),
        ("x.bfloat16().exp()", "y.float()"),
        ("x.float()", "y.double()"),
        ("torch.arange(3)", "y.exp()"),
        ("x.long()", "y.int()"),
    ],
)
def test_the_left_dtype_is_kept(left: str, right: str) -> None:
    check(case(left, right, cast=True))


@cases(
    """
== autocast
def f(x, y):
    with torch.autocast('cuda'):
        h = x @ y
        h += y.exp()  # <-
    return h
--
def f(x, y):
    with torch.autocast('cuda'):
        h = x @ y
        h = (h + y.exp()).to(h.dtype)
    return h

== brackets and comments stay
def f(x, y):
    h = x.half()
    h -= (  # <-
        y.float()  # the mean
        * 2
    )
    return h
--
def f(x, y):
    h = x.half()
    h = (h - (
        y.float()  # the mean
        * 2
    )).to(h.dtype)
    return h

== a method
def f(x, y):
    h = x.half()
    h.mul_(y.float())  # <-
    return h
--
def f(x, y):
    h = x.half()
    h = h.mul(y.float()).to(h.dtype)
    return h

== a sum
def f(x, y):
    h = x.half()
    h.add_(y.float())  # <-
    return h
--
def f(x, y):
    h = x.half()
    h = (h + y.float()).to(h.dtype)
    return h

== a value
def f(x, y):
    h = x.half()
    return h.mul_(y.float()) + 1  # <-
--
def f(x, y):
    h = x.half()
    return h.mul(y.float()).to(h.dtype) + 1

== a buffer
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("level", torch.ones(3, dtype=torch.float64))

    def forward(self, x):
        h = x.exp()
        h += self.level  # <-
        return h
--
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("level", torch.ones(3, dtype=torch.float64))

    def forward(self, x):
        h = x.exp()
        h = (h + self.level).to(h.dtype)
        return h

== a constant of the module
LEVEL = torch.ones(3).double()


def f(x):
    h = x.exp()
    h += LEVEL  # <-
    return h
--
LEVEL = torch.ones(3).double()


def f(x):
    h = x.exp()
    h = (h + LEVEL).to(h.dtype)
    return h

== what a caller gives
def f(x, level):
    h = x.exp()
    h += level  # <-
    return h


def g(x, noise):
    return f(x, torch.from_numpy(noise))
--
def f(x, level):
    h = x.exp()
    h = (h + level).to(h.dtype)
    return h


def g(x, noise):
    return f(x, torch.from_numpy(noise))

== several writes in one chain round in between ?? the two sides may have different dtypes
def f(x, y):
    h = x.half()
    h.mul_(y.float()).add_(1)  # <-
    return h
--
def f(x, y):
    h = x.half()
    h = h.mul(y.float()).add(1).to(h.dtype)
    return h
"""
)
def test_kept(case: Case) -> None:
    check(case)
