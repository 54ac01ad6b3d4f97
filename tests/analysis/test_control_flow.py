"""Branches, early exits, try, with, match."""

from __future__ import annotations

from .programs import checked

PROGRAMS = """
== the write on one branch
flag = torch.rand(()) < 2
w = torch.randn(3, requires_grad=True)
h = w.exp()
if flag:
    h += 1  # <- IPG101
h.sum().backward()
--
flag = torch.rand(()) < 2
w = torch.randn(3, requires_grad=True)
h = w + 1
if flag:
    h += 1
h.sum().backward()

== saved on one branch, written on the other
flag = torch.rand(()) < 2
w = torch.randn(3, requires_grad=True)
h = w + 1
if flag:
    y = h.exp() + h.log1p()
    h = y
else:
    h += 1
h.sum().backward()

== saved on a branch, written after it
flag = torch.rand(()) < 2
w = torch.rand(3, requires_grad=True)
h = w + 1
y = h
if flag:
    y = h.log()
h += 1  # <- IPG101
(y.sum() + h.sum()).backward()
--
flag = torch.rand(()) < 2
w = torch.rand(3, requires_grad=True)
h = w + 1
y = h
if flag:
    y = h.log()
h = h + 1
(y.sum() + h.sum()).backward()

== a conditional expression
flag = torch.rand(()) < 2
w = torch.randn(3, requires_grad=True)
h = w * 2
a = h.sigmoid() if flag else h.tanh()
a.neg_()  # <- IPG101
a.sum().backward()
--
flag = torch.rand(()) < 2
w = torch.randn(3, requires_grad=True)
h = w * 2
a = h + 1 if flag else h - 1
a.neg_()
a.sum().backward()

== early return keeps the paths apart
def f(h, fast):
    if fast:
        return h.exp()
    h = h * 3
    h += 1
    return h
w = torch.randn(3, requires_grad=True)
f(w, True).sum().backward()
f(w, False).sum().backward()

== after the early return
def f(h, fast):
    y = h.exp()
    if fast:
        return y
    y.add_(1)  # <- IPG101
    return y
w = torch.randn(3, requires_grad=True)
f(w, False).sum().backward()
--
def f(h, fast):
    y = h.exp()
    if fast:
        return y
    return y.add(1)
w = torch.randn(3, requires_grad=True)
f(w, False).sum().backward()

== try and finally
w = torch.randn(3, requires_grad=True)
h = w.exp()
try:
    y = h * 2
finally:
    h.zero_()  # <- IPG101
y.sum().backward()
--
w = torch.randn(3, requires_grad=True)
h = w.exp()
try:
    y = h * 2
finally:
    h = torch.zeros(3)
    h.zero_()
y.sum().backward()

== in the handler
w = torch.randn(3, requires_grad=True)
h = w.exp()
try:
    raise ValueError
except ValueError:
    h.add_(1)  # <- IPG101
h.sum().backward()
--
w = torch.randn(3, requires_grad=True)
h = w + 1
try:
    raise ValueError
except ValueError:
    h.add_(1)
h.sum().backward()

== finally after a return
def f(h):
    y = h.exp()
    try:
        return y * 1
    finally:
        y.zero_()  # <- IPG101
w = torch.randn(3, requires_grad=True)
f(w).sum().backward()
--
def f(h):
    y = h.exp()
    z = h + 1
    try:
        return y * 1
    finally:
        z.zero_()
w = torch.randn(3, requires_grad=True)
f(w).sum().backward()

== with of something else is no barrier
w = torch.randn(3, requires_grad=True)
with torch.autocast("cpu", enabled=False):
    h = w.exp()
h.mul_(2)  # <- IPG101
h.sum().backward()
--
w = torch.randn(3, requires_grad=True)
with torch.autocast("cpu", enabled=False):
    h = w.exp()
h = h.mul(2)
h.sum().backward()

== the branch that a constant rules out
DEBUG = False
w = torch.randn(3, requires_grad=True)
h = w.exp()
if DEBUG:
    h += 1
h.sum().backward()

== assignment expression
w = torch.randn(3, requires_grad=True)
if (h := w.exp()).sum() > 0:
    h += 1  # <- IPG101
h.sum().backward()
--
w = torch.randn(3, requires_grad=True)
if (h := w + 10).sum() > 0:
    h += 1
h.sum().backward()

== match
kind = "gelu"
w = torch.randn(3, requires_grad=True)
h = w * 1
match kind:
    case "gelu":
        y = F.gelu(h)
        h += 1  # <- IPG101
    case _:
        y = h
(y.sum() + h.sum()).backward()
--
kind = "gelu"
w = torch.randn(3, requires_grad=True)
h = w * 1
match kind:
    case "gelu":
        y = F.gelu(h)
    case _:
        h += 1
        y = h
(y.sum() + h.sum()).backward()

== training_flag decides between in-place and not
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
    def forward(self, x):
        h = self.lin(x).sigmoid()
        if not self.training:
            h += 1
        return h
>> run
Net()(torch.randn(2, 3)).sum().backward()
--
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
    def forward(self, x):
        h = self.lin(x).sigmoid()
        if self.training:
            h = h + 1
        else:
            h += 1
        return h
>> run
Net()(torch.randn(2, 3)).sum().backward()

== the test of a branch writes
w = torch.randn(3, requires_grad=True)
h = w.exp()
if h.clamp_(max=2).sum() > 0:  # <- IPG101
    pass
h.sum().backward()
--
w = torch.randn(3, requires_grad=True)
h = w.exp()
if h.clamp(max=2).sum() > 0:
    pass
h.sum().backward()

== short circuit
w = torch.randn(3, requires_grad=True)
h = w.exp()
verbose = False
verbose and h.zero_()
h.sum().backward()

== a fast path that is taken whenever it is small
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
    def fast(self, x):
        return x.shape[0] < 5
    def forward(self, x):
        h = self.lin(x).exp()
        return h.mul_(2) if self.fast(h) else h * 2  # <- IPG101
>> run
Net()(torch.randn(2, 3)).sum().backward()
-- and nothing requires grad
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
    def fast(self, x):
        return x.shape[0] < 5 and not (torch.is_grad_enabled() and x.requires_grad)
    def forward(self, x):
        h = self.lin(x).exp()
        return h.mul_(2) if self.fast(h) else h * 2
>> run
Net()(torch.randn(2, 3)).sum().backward()

== what one branch saves of memory that only the other hands on
class Gate(nn.Module):
    def __init__(self, gated):
        super().__init__()
        self.gated = gated
        self.lin = nn.Linear(3, 3)
    def forward(self, x):
        out = self.lin(x)
        if not self.gated:
            return out
        return out * self.lin(x).sigmoid()
class Net(nn.Module):
    def __init__(self, gated):
        super().__init__()
        self.gate = Gate(gated)
    def forward(self, x):
        y = self.gate(x)
        y += x
        return y
>> run
for gated in (True, False):
    Net(gated)(torch.randn(2, 3)).sum().backward()
"""

test_linter, test_pytorch = checked(PROGRAMS)
