"""`x[i] = y`: a copy first."""

from __future__ import annotations

from .marked import Case, cases, check


@cases(
    """
== a mask
def f(x, eps):
    p = torch.softmax(x, -1)
    p[p < eps] = eps  # <-
    return p
--
def f(x, eps):
    p = torch.softmax(x, -1)
    p = p.clone()
    p[p < eps] = eps
    return p

== an augmented item
def f(x):
    boxes = x.exp()
    boxes[:, :2] -= 0.5  # <-
    return boxes
--
def f(x):
    boxes = x.exp()
    boxes = boxes.clone()
    boxes[:, :2] -= 0.5
    return boxes

== what the value reads was saved too
def f(cell, inputs):
    states = torch.zeros(5, 3)
    for t in range(4):
        states[t + 1] = cell(inputs[t], states[t])  # <-
    return states
--
def f(cell, inputs):
    states = torch.zeros(5, 3)
    for t in range(4):
        value = cell(inputs[t], states[t])
        states = states.clone()
        states[t + 1] = value
    return states

== the name value is taken
def f(x, value):
    out = x.exp()
    out[:, 1] = F.softplus(out[:, 1]) + value  # <-
    return out
--
def f(x, value):
    out = x.exp()
    new_value = F.softplus(out[:, 1]) + value
    out = out.clone()
    out[:, 1] = new_value
    return out

== an augmented item whose value reads the tensor
def f(x):
    out = x.exp()
    out[:, 0] += (  # <-
        out[:, 1].sigmoid()
    )
    return out
--
def f(x):
    out = x.exp()
    value = (
        out[:, 1].sigmoid()
    )
    out = out.clone()
    out[:, 0] += value
    return out

== an item of an item
def f(x):
    h = x.exp()
    h[0][1:] = 0  # <-
    return h
--
def f(x):
    h = x.exp()
    h = h.clone()
    h[0][1:] = 0
    return h

== a tensor in a list
def f(x):
    hs = [x.exp(), x.sin()]
    hs[0][:, 1] = 0  # <-
    return hs
--
def f(x):
    hs = [x.exp(), x.sin()]
    hs[0] = hs[0].clone()
    hs[0][:, 1] = 0
    return hs

== a transposed view
def f(x):
    h = x.exp()
    h.T[0] = 0  # <-
    return h
--
def f(x):
    h = x.exp()
    h = h.clone()
    h.T[0] = 0
    return h

== a buffer
class Bank(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("slots", F.normalize(torch.randn(4, 3), dim=1))

    def refresh(self, i, z):
        self.slots[i] = z  # <-
--
class Bank(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("slots", F.normalize(torch.randn(4, 3), dim=1))

    def refresh(self, i, z):
        self.slots = self.slots.clone()
        self.slots[i] = z

== several statements on one line
def f(x):
    h = x.exp(); h[0] = 0; return h  # <-
--
def f(x):
    h = x.exp(); h = h.clone(); h[0] = 0; return h

== the body of a one-line if
def f(x, flag):
    h = x.exp()
    if flag: h[0] = 0  # <-
    return h
--
def f(x, flag):
    h = x.exp()
    if flag: h = h.clone(); h[0] = 0
    return h

== a body continued by a backslash
def f(x, flag):
    h = x.exp()
    if flag: \\
        h[0] = 0  # <-
    return h
--
def f(x, flag):
    h = x.exp()
    if flag: \\
        h = h.clone(); h[0] = 0
    return h

== two targets !! it writes several targets in one statement
def f(x):
    h = x.exp()
    h[0] = y = x.sum()  # <-
    return h, y

== the base of a view that is read ?? `base` may be the same tensor and is read afterwards
def f(x):
    base = x.exp()
    row = base[0]
    row[1:] = 0  # <-
    return base, row
--
def f(x):
    base = x.exp()
    row = base[0]
    row = row.clone()
    row[1:] = 0
    return base, row

== a view whose base alone is read !! nothing reads `row` afterwards
def f(x):
    base = x.exp()
    row = base[0]
    row[1:] = 0  # <-
    return base

== a property !! `self.h` is a property or method
class A:
    @property
    def h(self):
        return self._h

    def reset(self):
        self.h[0] = 0  # <-
"""
)
def test_programs(case: Case) -> None:
    check(case)
