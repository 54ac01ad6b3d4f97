"""Writes through `.data`: only with --unsafe-fixes, since they may be meant."""

from __future__ import annotations

from .marked import Case, cases, check

MEANT = "`.data` may have been meant to hide the write from autograd"


@cases(
    f"""
== add_ ?? {MEANT}
class Block(nn.Module):
    def forward(self, h):
        h.data.add_(self.attn(self.ln1(h)))  # <-
        return h
--
class Block(nn.Module):
    def forward(self, h):
        h = h + self.attn(self.ln1(h))
        return h

== an item of what may be a tuple !! what it writes through `.data` is no variable
def f(outputs, mask):
    outputs[0].data.masked_fill_(mask, 0.0)  # <-
    return outputs

== augmented ?? {MEANT}
def f(h, x):
    h.data += x  # <-
    return h
--
def f(h, x):
    h = h + x
    return h

== an item ?? {MEANT}
def f(x, done):
    h = x.exp()
    h.data[done] = 0.0  # <-
    return h
--
def f(x, done):
    h = x.exp()
    h = h.clone()
    h[done] = 0.0
    return h

== both sides ?? {MEANT}
def f(x, m):
    h = x.exp()
    h.data[:, 0] = h.data[:, 0] - m  # <-
    return h
--
def f(x, m):
    h = x.exp()
    value = h[:, 0] - m
    h = h.clone()
    h[:, 0] = value
    return h

== a new value ?? {MEANT}
def f(x):
    h = x.exp()
    h.data = h.data / 2  # <-
    return h
--
def f(x):
    h = x.exp()
    h = h / 2
    return h

== a leaf !! `x` is a leaf
def f(x, noise):
    x = x.clone().requires_grad_()
    e = x.square().sum()
    x.data.add_(noise)  # <-
    return torch.autograd.grad(e, x)

== a parameter !! `self.weight` is a leaf
class Slim(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3, 3))

    def forward(self, x):
        self.weight.data[1:] = 0  # <-
        return F.linear(x, self.weight)

== parameters in a loop !! nothing reads `p` afterwards
def clip(net):
    for p in net.parameters():
        p.data.clamp_(-1, 1)  # <-
"""
)
def test_programs(case: Case) -> None:
    check(case, "IPG201")
