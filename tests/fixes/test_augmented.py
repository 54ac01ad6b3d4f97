"""`h += x` -> `h = h + x`."""

from __future__ import annotations

import pytest

from .marked import Case, cases, check

FRAME = "def f(a, b, x, flag):\n    h = torch.relu(a)\n    {}\n    return h\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("h += x", "h = h + x"),
        ("h -= a - b", "h = h - (a - b)"),
        ("h += a * b", "h = h + a * b"),
        ("h *= a + b", "h = h * (a + b)"),
        ("h += a + b", "h = h + (a + b)"),
        ("h /= (a + b)", "h = h / (a + b)"),
        ("h **= -2", "h = h ** -2"),
        ("h **= a ** b", "h = h ** a ** b"),
        ("h //= 2", "h = h // 2"),
        ("h %= x", "h = h % x"),
        ("h += a if flag else b", "h = h + (a if flag else b)"),
        ("h += a @ b", "h = h + a @ b"),
        ("h += -a", "h = h + -a"),
        ("h += a < b", "h = h + (a < b)"),
        ("h   +=   x", "h = h + x"),
        ("h += h.mean()", "h = h + h.mean()"),
    ],
)
def test_operators(before: str, after: str) -> None:
    check(Case(FRAME.format(before + "  # <-"), FRAME.format(after), False, ""))


@cases(
    """
== comments inside stay
def f(h, x):
    h += (  # <-
        # the left one
        x  # and a number
        + 1
    )
    return h
--
def f(h, x):
    h = h + (
        # the left one
        x  # and a number
        + 1
    )
    return h

== a call over several lines
def f(h, x):
    h += F.linear(  # <-
        x,
        x.T,
    )
    return h
--
def f(h, x):
    h = h + F.linear(
        x,
        x.T,
    )
    return h

== one of several statements on a line
def f(h, x):
    y = x * 2; h += y; return h  # <-
--
def f(h, x):
    y = x * 2; h = h + y; return h

== the body of a one-line if
def f(h, x, flag):
    if flag: h += x  # <-
    return h
--
def f(h, x, flag):
    if flag: h = h + x
    return h

== an attribute
class State:
    def __init__(self):
        self.h = torch.zeros(3)

    def push(self, x):
        self.h += x  # <-
--
class State:
    def __init__(self):
        self.h = torch.zeros(3)

    def push(self, x):
        self.h = self.h + x

== an element of a list
def f(layers, x, y, i):
    hs = [layer(x) for layer in layers]
    hs[i - 1] += y  # <-
    return hs
--
def f(layers, x, y, i):
    hs = [layer(x) for layer in layers]
    hs[i - 1] = hs[i - 1] + y
    return hs

== an element of a dict
def f(x, y):
    hs = {"a": x.exp(), "b": y.exp()}
    hs["a"] += y  # <-
    return hs
--
def f(x, y):
    hs = {"a": x.exp(), "b": y.exp()}
    hs["a"] = hs["a"] + y
    return hs

== an element of the caller's list ?? the caller may hold the tensors in `hs` under other names too
def f(hs: list, y):
    hs[0] += y  # <-
    return hs
--
def f(hs: list, y):
    hs[0] = hs[0] + y
    return hs

== a list or a tensor !! whether `hs` is a list or a tensor cannot be told
def f(hs, y, i):
    hs[i] += y  # <-
    return hs

== a target that does something !! its target would be evaluated twice
def f(x, it, y):
    hs = [x, y]
    hs[next(it)] += y  # <-
    return hs

== an attribute of what a call gives !! its target would be evaluated twice
def f(g, y):
    g().h += y  # <-
    return y

== a walrus !! the statement has an assignment expression in it
def f(h, y):
    h += (z := y)  # <-
    return h, z

== a value that nobody reads !! nothing reads `h` afterwards
def f(h, y):
    h += y  # <-
    return y

== a tuple !! its right side is a tuple
def f(h, y):
    h += y, y  # <-
    return h

== a name of the module !! `total` is not a variable of this function
total = torch.zeros(3)


def f(x):
    global total
    total += x  # <-
    return total

== a name of the enclosing function !! `total` is not a variable of this function
def f(x):
    total = x.exp()

    def g():
        nonlocal total
        total += 1  # <-
        return total

    return g()

== the body of a class !! it is written in the body of a class
class A:
    h = torch.zeros(3)
    h += 1  # <-

== a script
h = torch.exp(torch.zeros(3))
h += 1  # <-
print(h)
--
h = torch.exp(torch.zeros(3))
h = h + 1
print(h)

== twice
def f(h, x):
    h += x  # <-
    h *= x  # <-
    return h
--
def f(h, x):
    h = h + x
    h = h * x
    return h

== after a return !! the statement is never reached
def f(h, x):
    return h
    h += x  # <-
"""
)
def test_programs(case: Case) -> None:
    check(case)
