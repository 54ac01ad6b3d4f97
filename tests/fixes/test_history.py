"""A new tensor has a history only if grad mode records it, and no gradient of its own."""

from __future__ import annotations

from .marked import Case, cases, check

OFF = "it is written with grad mode off, where a new tensor would have no history"
LEAF = "is a leaf or keeps its gradient, which a new tensor would not"


@cases(
    f"""
== under no_grad !! {OFF}
def f(x):
    h = x.exp()
    with torch.no_grad():
        h.mul_(2)  # <-
    return h

== in a function that is decorated !! {OFF}
@torch.inference_mode()
def f(h):
    h += 1  # <-
    return h

== a value under no_grad !! {OFF}
def f(x):
    h = x.exp()
    with torch.set_grad_enabled(False):
        y = h.mul_(2)  # <-
    return y

== grad mode on, explicitly
def f(x):
    h = x.exp()
    with torch.enable_grad(), torch.set_grad_enabled(True):
        h += 1  # <-
    return h
--
def f(x):
    h = x.exp()
    with torch.enable_grad(), torch.set_grad_enabled(True):
        h = h + 1
    return h

== a buffer under no_grad
class Norm(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("mean", F.normalize(torch.randn(n), dim=0))

    def forward(self, x):
        with torch.no_grad():
            self.mean.lerp_(x.mean(0), 0.1)  # <-
        return x - self.mean
--
class Norm(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("mean", F.normalize(torch.randn(n), dim=0))

    def forward(self, x):
        with torch.no_grad():
            self.mean = self.mean.lerp(x.mean(0), 0.1)
        return x - self.mean

== an activation kept on self, under no_grad !! {OFF}
class Net(nn.Module):
    def forward(self, x, done):
        self.h = self.cell(x)
        with torch.no_grad():
            self.h *= done  # <-
        return self.h

== the caller has grad mode off ?? calls it with grad mode off, where a new tensor has no history
def shift(h):
    h += 1  # <-
    return h


def f(x):
    h = x.exp()
    with torch.no_grad():
        h = shift(h)
    return h
--
def shift(h):
    h = h + 1
    return h


def f(x):
    h = x.exp()
    with torch.no_grad():
        h = shift(h)
    return h

== a leaf !! {LEAF}
w = torch.ones(3, requires_grad=True)
w += 1  # <-
w.sum().backward()

== a tensor whose gradient is read !! {LEAF}
def f(x):
    h = x.exp()
    h.retain_grad()
    h += 1  # <-
    h.sum().backward()
    return h
"""
)
def test_programs(case: Case) -> None:
    check(case)
