"""Leaves written with grad mode on: under torch.no_grad(), only with --unsafe-fixes."""

from __future__ import annotations

from inplace_guard.findings import Finding, Site
from inplace_guard.fixes import fix_source

from .marked import Case, cases, check, fix

ONLY = "only if no gradient is to flow through it"


@cases(
    f"""
== a step by hand ?? {ONLY}
def f(x, lr, loss):
    w = x.clone().requires_grad_()
    loss(w).backward()
    w -= lr * w.grad  # <-
    return w
--
def f(x, lr, loss):
    w = x.clone().requires_grad_()
    loss(w).backward()
    with torch.no_grad():
        w -= lr * w.grad
    return w

== filling ?? {ONLY}
def init(layer, bound):
    layer.weight.normal_(0.0, bound)  # <-
--
def init(layer, bound):
    with torch.no_grad():
        layer.weight.normal_(0.0, bound)

== an average of weights ?? {ONLY}
def update(teacher, student, m):
    for t, s in zip(teacher.parameters(), student.parameters()):
        t.mul_(m).add_(s, alpha=1 - m)  # <-
--
def update(teacher, student, m):
    for t, s in zip(teacher.parameters(), student.parameters()):
        with torch.no_grad():
            t.mul_(m).add_(s, alpha=1 - m)

== a comment and tabs stay ?? {ONLY}
def init(layer):
\tif True:
\t\tlayer.weight[0] = 0.0  # <-
\treturn layer
--
def init(layer):
\tif True:
\t\twith torch.no_grad():
\t\t\tlayer.weight[0] = 0.0
\treturn layer

== a gradient that would be lost !! what it writes may have a history
def paste(scene, patch):
    scene[:2] = patch  # <-
    return scene

== under no_grad already !! it is written under torch.no_grad() already
def init(layer):
    with torch.no_grad():
        layer.weight.zero_()  # <-

== a custom Function !! a custom Function writes its input
class Clamp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w, r):
        w.clamp_(-1.0, 1.0)  # <-
        return w

== not alone on its line !! another statement stands on its line
def init(layer):
    layer.weight.zero_(); return layer  # <-
"""
)
def test_programs(case: Case) -> None:
    check(case, "IPG103")


def test_without_torch() -> None:
    result = fix("def init(layer):\n    layer.weight.zero_()  # <-\n", "IPG103", unsafe=True)
    assert result.fixed
    source = b"from torch import nn\nlayer = nn.Linear(2, 2)\nlayer.weight.zero_()\n"
    finding = Finding("IPG103", "rule", "static", "certain", "", Site("case.py", 3, 1, "zero_"))
    assert fix_source(source, [finding], unsafe=True).refused[0].reason == "torch is not imported here"
