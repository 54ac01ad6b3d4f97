"""Attributes of self: which may be given a new tensor."""

from __future__ import annotations

from .marked import Case, cases, check

CLASS = """\
class A(nn.Module):
    def __init__(self, given=None, flag=False):
        super().__init__()
        {}

    def run(self, x):
        self.h {} x{}
{}"""


def case(made: str, reason: str = "", *, refused: bool = False, rest: str = "") -> Case:
    before = CLASS.format(made, "+=", "  # <-", rest)
    return Case(before, before if refused else CLASS.format(made, "= self.h +", "", rest), bool(reason), reason)


def test_a_tensor_of_its_own() -> None:
    for made in (
        "self.h = torch.zeros(3)",
        "self.h = None",
        'self.register_buffer("h", torch.ones(3))',
        "self.h = 2 * given",
    ):
        check(case(made))


def test_a_parameter() -> None:
    reason = "`self.h` is a parameter: a new tensor would take its place in the module, not in the optimizer"
    for made in ("self.h = nn.Parameter(torch.zeros(3))", 'self.register_parameter("h", given)'):
        check(case(made, reason, refused=True))


def test_a_leaf() -> None:
    """An optimizer may hold it."""
    reason = "`self.h` is a leaf or keeps its gradient, which a new tensor would not"
    for made in ("self.h = torch.zeros(3, requires_grad=True)", "self.h = torch.zeros(3).requires_grad_()"):
        check(case(made, reason, refused=True))
    rest = "\n    def step(self):\n        return self.h.grad * 2\n"
    check(case("self.h = torch.zeros(3)", reason, refused=True, rest=rest))


def test_one_of_several() -> None:
    check(case("self.a, self.h = 1, torch.zeros(3)"))
    check(case("self.a, self.h = 1, given", "`self.h` is given its tensor on line N, and others may hold it"))
    check(case("self.a, self.h = torch.std_mean(given)", "line N gives `self.h` one of several values"))


def test_what_is_given() -> None:
    check(case("self.h = given", "`self.h` is given its tensor on line N, and others may hold it"))
    check(case('self.register_buffer("h", given)', "`self.h` is given its tensor on line N, and others may hold it"))


def test_a_view() -> None:
    check(case("self.h = given.view(-1)", "line N makes `self.h` share memory with another tensor"))


def test_returned_or_named_elsewhere() -> None:
    rest = "\n    def state(self):\n        return {'h': self.h}\n"
    check(case("self.h = torch.zeros(3)", "line N returns `self.h`, and the caller may still hold it", rest=rest))
    rest = "\n    def state(self):\n        old = self.h\n        return old * 2\n"
    check(case("self.h = torch.zeros(3)", "line N gives `self.h` another name", rest=rest))


def test_unknown() -> None:
    check(case("self.other = given", "what `self.h` is cannot be seen in its class", refused=True))


@cases(
    """
== another object !! what `layer.h` is cannot be seen here
def f(layer, x):
    layer.h += x  # <-
    return layer
"""
)
def test_programs(case: Case) -> None:
    check(case)
