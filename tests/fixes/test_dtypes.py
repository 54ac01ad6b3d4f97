"""In place the left dtype stays; out of place it may not."""

from __future__ import annotations

import pytest

from .marked import Case, check

FRAME = "def f(x, y, scale: float, n=3):\n    h = {}\n    h {} {}{}\n    return h\n"
SIDES = "the two sides may have different dtypes, and the write in place keeps the left one"
WHOLE = "the left side is not a floating-point tensor, whose dtype the write in place keeps"


def case(left: str, right: str, reason: str = "") -> Case:
    return Case(FRAME.format(left, "+=", right, "  # <-"), FRAME.format(left, "= h +", right, ""), bool(reason), reason)


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
    ("left", "right", "reason"),
    [
        ("x.exp()", "y.double()", SIDES),
        ("x.exp()", "y.to(torch.float64)", SIDES),
        ("x.exp()", "torch.from_numpy(y)", SIDES),
        ("x.half()", "y.exp()", SIDES),
        ("x.half()", "y.bfloat16()", SIDES),
        ("x.bfloat16().exp()", "y.float()", SIDES),
        ("x.float()", "y.double() * 2", SIDES),
        ("torch.arange(3)", "y.exp()", WHOLE),
        ("x.long()", "y.int()", WHOLE),
    ],
)
def test_doubtful(left: str, right: str, reason: str) -> None:
    check(case(left, right, reason))


def test_autocast() -> None:
    text = "def f(x, y):\n    with torch.autocast('cuda'):\n        h = x @ y\n        h {} y.exp(){}\n    return h\n"
    reason = "under autocast the two sides may have different dtypes"
    check(Case(text.format("+=", "  # <-"), text.format("= h +", ""), True, reason))


def test_a_method() -> None:
    text = "def f(x, y):\n    h = x.half()\n    h{}(y.float()){}\n    return h\n"
    check(Case(text.format(".mul_", "  # <-"), text.format(" = h.mul", ""), True, SIDES))
