"""In-place modules: their constructor, or a copy for one call."""

from __future__ import annotations

import pytest

from inplace_guard.findings import Finding, Site
from inplace_guard.fixes import fix_source

from .marked import Case, body, cases, check, program


@cases(
    """
== in the middle of a chain
net = nn.Sequential(
    nn.Conv2d(3, 4, 3),
    nn.ReLU(inplace=True),  # <-
    nn.Conv2d(4, 4, 3),
)
--
net = nn.Sequential(
    nn.Conv2d(3, 4, 3),
    nn.ReLU(),
    nn.Conv2d(4, 4, 3),
)

== a positional argument stays in its place
net = nn.Sequential(nn.Linear(3, 4), nn.Hardtanh(-1.0, 1.0, inplace=True))  # <-
--
net = nn.Sequential(nn.Linear(3, 4), nn.Hardtanh(-1.0, 1.0))

== called with something that nobody else has
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.act = nn.ReLU(inplace=True)  # <-

    def forward(self, x):
        return self.act(self.fc(x))
--
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.act = nn.ReLU()

    def forward(self, x):
        return self.act(self.fc(x))

== called with a skip connection ?? `h` may be the same tensor and is read afterwards
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.act = nn.ReLU(inplace=True)  # <-

    def forward(self, x):
        h = self.fc(x)
        y = self.fc(self.act(h))
        return h + y
--
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.act = nn.ReLU()

    def forward(self, x):
        h = self.fc(x)
        y = self.fc(self.act(h))
        return h + y

== called for the write alone !! calls it for the write alone
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.act = nn.ReLU(inplace=True)  # <-

    def forward(self, x):
        h = self.fc(x)
        self.act(h)
        return h

== never called here ?? where the module is called cannot be seen
def activation():
    return nn.ReLU(inplace=True)  # <-
--
def activation():
    return nn.ReLU()

== behind something that hands its input on ?? where the module is called cannot be seen
def head():
    return nn.Sequential(nn.Identity(), nn.ReLU(inplace=True))  # <-
--
def head():
    return nn.Sequential(nn.Identity(), nn.ReLU())
"""
)
def test_constructors(case: Case) -> None:
    check(case)


POSITIONAL = """\
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(True))
"""
CALLED = """\
class Net(nn.Module):
    def __init__(self, act):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.act = act

    def forward(self, x):
        h = self.fc(x)
        h = self.act(h)
        return h
"""


def at(text: str, part: str, op: str) -> Finding:
    lines = program(text).splitlines()
    number = next(n for n, line in enumerate(lines, 1) if part in line)
    return Finding(
        "IPG101", "rule", "static", "certain", "", Site("case.py", number, lines[number - 1].index(part) + 1, op)
    )


def test_a_positional_argument() -> None:
    result = fix_source(program(POSITIONAL).encode(), [at(POSITIONAL, "nn.ReLU", "ReLU(inplace=True)")])
    assert body(result) == POSITIONAL.replace("True", "False")


def test_a_call_of_a_module_made_elsewhere() -> None:
    result = fix_source(program(CALLED).encode(), [at(CALLED, "self.act(h)", "ReLU(inplace=True)")])
    assert body(result) == CALLED.replace("self.act(h)", "self.act(h.clone())")


def test_a_call_of_a_module_made_here() -> None:
    text = CALLED.replace("= act", "= nn.ReLU(inplace=True)")
    result = fix_source(program(text).encode(), [at(text, "self.act(h)", "ReLU(inplace=True)")])
    assert body(result) == text.replace("inplace=True", "")


@pytest.mark.parametrize("op", ["Embedding(max_norm=…)", "BatchNorm1d (running statistics)"])
def test_what_has_no_out_of_place_form(op: str) -> None:
    result = fix_source(program(CALLED).encode(), [at(CALLED, "self.act(h)", op)], unsafe=True)
    assert body(result) == CALLED
    assert result.refused[0].reason == f"`{op}` has no out-of-place form"
