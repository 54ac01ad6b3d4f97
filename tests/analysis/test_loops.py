"""Loops that carry state, fill buffers, break and continue."""

from __future__ import annotations

from .programs import checked

PROGRAMS = """
== a recurrent state
w = torch.randn(3, requires_grad=True)
h = torch.zeros(3)
for t in range(3):
    h += torch.tanh(h * w)  # <- IPG101
h.sum().backward()
--
w = torch.randn(3, requires_grad=True)
h = torch.zeros(3)
for t in range(3):
    h = h + torch.tanh(h * w)
h.sum().backward()

== rows of a table, one from the one before
w = torch.randn(3, requires_grad=True)
x = torch.ones(3, 4)
for t in range(1, 4):
    x[:, t] = torch.sigmoid(x[:, t - 1] * w)  # <- IPG101
x.sum().backward()
--
w = torch.randn(3, requires_grad=True)
cols = [torch.ones(3)]
for t in range(1, 4):
    cols.append(torch.sigmoid(cols[-1] * w))
torch.stack(cols, 1).sum().backward()

== filling a buffer
w = torch.randn(3, requires_grad=True)
out = torch.zeros(4, 3)
for t in range(4):
    out[t] = (w * t).exp()
out.sum().backward()

== a while loop
w = torch.randn(3, requires_grad=True)
x = w * 1
n = 0
while n < 2:
    y = x.square()
    x -= 0.1 * y  # <- IPG101
    n += 1
x.sum().backward()
--
w = torch.randn(3, requires_grad=True)
x = w * 1
n = 0
while n < 2:
    y = x.square()
    x = x - 0.1 * y
    n += 1
x.sum().backward()

== break before the write
w = torch.randn(3, requires_grad=True)
h = w * 1
for t in range(3):
    y = h.exp() + h.square()
    if t == 0:
        break
    h += 1
(y.sum() + h.sum()).backward()
-- the last round saves
w = torch.randn(3, requires_grad=True)
h = w * 1
for t in range(3):
    if t > 0:
        break
    h += 1
    h = h.exp()
h.sum().backward()

== continue after the save
w = torch.randn(3, requires_grad=True)
h = w * 1
for t in range(3):
    y = h.square()
    if t < 2:
        continue
    h += 1  # <- IPG101
(y.sum() + h.sum()).backward()
--
w = torch.randn(3, requires_grad=True)
h = w * 1
for t in range(3):
    y = h.square()
    if t < 2:
        continue
    h = h + 1
(y.sum() + h.sum()).backward()

== a comprehension saves, a loop writes
w = torch.randn(3, requires_grad=True)
h = w * 1
ys = [h.pow(k) for k in (2, 3)]
h /= 2  # <- IPG101
(sum(y.sum() for y in ys) + h.sum()).backward()
--
w = torch.randn(3, requires_grad=True)
h = w * 1
ys = [h * k for k in (2, 3)]
h /= 2
(sum(y.sum() for y in ys) + h.sum()).backward()

== two loops, one saves and the other writes
w = torch.randn(4, requires_grad=True)
h = w * 1
ys = []
for i in range(2):
    ys.append(h[i].exp() * h[i].sin())
for i in range(2):
    h[i] += 1  # <- IPG101
(torch.stack(ys).sum() + h.sum()).backward()
--
w = torch.randn(4, requires_grad=True)
h = w * 1
ys = []
for i in range(2):
    h[i] += 1
for i in range(2):
    ys.append(h[i].exp() * h[i].sin())
(torch.stack(ys).sum() + h.sum()).backward()

== a fresh tensor each round
w = torch.randn(3, requires_grad=True)
total = torch.zeros(())
for t in range(3):
    h = w * t
    h += 1
    h *= 2
    total = total + h.exp().sum()
total.backward()

== a total that only adds
w = torch.randn(3, requires_grad=True)
total = torch.zeros(())
for t in range(3):
    total += (w * t).exp().sum()
total.backward()

== for else
w = torch.randn(3, requires_grad=True)
h = w.exp()
for t in range(2):
    pass
else:
    h += 1  # <- IPG101
h.sum().backward()
--
w = torch.randn(3, requires_grad=True)
h = w.exp()
for t in range(2):
    break
else:
    h += 1
h.sum().backward()

== a loop over seven functions
def a(w): return w + 1
def e(w):
    h = torch.exp(w)
    h += 1  # <- IPG101
    return h
w = torch.rand(2, 2, requires_grad=True)
for fn in (a, a, a, e, a, a, a):
    fn(w).sum().backward()
"""

test_linter, test_pytorch = checked(PROGRAMS)
