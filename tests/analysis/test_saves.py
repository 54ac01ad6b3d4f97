"""Which op saves what, and which operand's requires_grad decides."""

from __future__ import annotations

from .programs import checked

PROGRAMS = """
== relu saves its result
w = torch.randn(3, requires_grad=True)
h = w.relu()
h += 1  # <- IPG101
h.sum().backward()
--
w = torch.randn(3, requires_grad=True)
h = (w + 1)
h = h.relu_()
h.sum().backward()

== exp saves its result, not its input
w = torch.randn(3, requires_grad=True)
h = w * 2
e = h.exp()
e.mul_(2)  # <- IPG101
e.sum().backward()
--
w = torch.randn(3, requires_grad=True)
h = w * 2
e = h.exp()
h.mul_(2)
(e.sum() + h.sum()).backward()

== the names that NumPy gives to arguments are taken too
w = torch.randn(4, 3, requires_grad=True)
pair = torch.cat([w, w * 2], axis=1)
length = torch.linalg.norm(pair, axis=-1)
length += 1e-6  # <- IPG101
share = pair.softmax(axis=1).sum(axis=1, keepdims=True)
(share / length).sum().backward()
--
w = torch.randn(4, 3, requires_grad=True)
total = torch.sum(w * 2, axis=-1, keepdims=True)
total += 1e-6
(w / total).sum().backward()

== log saves its input, not its result
w = torch.rand(3, requires_grad=True)
h = w + 1
y = h.log()
h.add_(1)  # <- IPG101
y.sum().backward()
--
w = torch.rand(3, requires_grad=True)
h = w + 1
y = h.log()
y.add_(1)
y.sum().backward()

== gelu of the functional module saves its input
w = torch.randn(3, requires_grad=True)
h = w * 2
y = F.gelu(h)
h -= 1  # <- IPG101
y.sum().backward()
--
w = torch.randn(3, requires_grad=True)
h = w * 2
y = F.gelu(h)
y -= 1
y.sum().backward()

== softmax along a dimension saves its result
w = torch.randn(2, 3, requires_grad=True)
p = torch.softmax(w, dim=-1)
p[:, 0] = 0  # <- IPG101
p.sum().backward()
--
w = torch.randn(2, 3, requires_grad=True)
s = w * 1
s[:, 0] = 0
p = torch.softmax(s, dim=-1)
p.square().sum().backward()

== mul saves an operand if the other one requires grad
w = torch.randn(3, requires_grad=True)
c = torch.randn(3)
y = w * c
c.add_(1)  # <- IPG101
y.sum().backward()
--
w = torch.randn(3, requires_grad=True)
c = torch.randn(3)
h = w + 0
y = h * c
h.add_(1)
(y.sum() + h.sum()).backward()

== mul by a number saves nothing
w = torch.randn(3, requires_grad=True)
h = w + 1
y = h * 2
h.add_(1)
y /= 3
(y.sum() + h.sum()).backward()

== div always saves its divisor
w = torch.rand(3, requires_grad=True)
scale = torch.rand(3)
y = w / scale
scale.mul_(2)  # <- IPG101
y.sum().backward()
--
w = torch.rand(3, requires_grad=True)
y = w / 2
scale = torch.rand(3)
scale.mul_(2)
y.sum().backward()

== a number divided by a tensor saves the reciprocal, so the result may be written
w = torch.rand(3, requires_grad=True)
h = w + 1
y = 1 / h
h.add_(1)
y.add_(1)
(y.sum() + h.sum()).backward()

== pow saves its base
w = torch.rand(3, requires_grad=True)
h = w + 1
y = h ** 2
h[0] = 5  # <- IPG101
y.sum().backward()
--
w = torch.rand(3, requires_grad=True)
h = w + 1
y = h ** 2
y[0] = 5
y.sum().backward()

== matmul saves both factors
w = torch.randn(3, 3, requires_grad=True)
a = torch.randn(2, 3)
y = a @ w
a.zero_()  # <- IPG101
y.sum().backward()
--
w = torch.randn(3, 3, requires_grad=True)
a = torch.randn(2, 3)
y = a @ w
y.zero_()
y.sum().backward()

== einsum saves its operands
w = torch.randn(3, 3, requires_grad=True)
a = torch.randn(2, 3)
y = torch.einsum("ij,jk->ik", a, w)
a *= 2  # <- IPG101
y.sum().backward()
--
w = torch.randn(3, 3, requires_grad=True)
a = torch.randn(2, 3)
y = torch.einsum("ij,jk->ik", a, w)
y *= 2
y.sum().backward()

== masked_fill and where save the mask
w = torch.randn(3, requires_grad=True)
mask = torch.tensor([True, False, True])
y = w.masked_fill(mask, 0.0)
mask.logical_not_()  # <- IPG101
y.sum().backward()
--
w = torch.randn(3, requires_grad=True)
mask = torch.tensor([True, False, True])
h = w + 1
y = torch.where(mask, h, h * 2)
h.add_(1)
(y.sum() + h.sum()).backward()

== gather saves its index
w = torch.randn(4, requires_grad=True)
idx = torch.tensor([0, 1])
y = w.gather(0, idx)
idx += 1  # <- IPG101
y.sum().backward()
--
w = torch.randn(4, requires_grad=True)
idx = torch.tensor([0, 1])
y = w.gather(0, idx)
idx = idx + 1
y.sum().backward()

== add, sub, sum, mean and cat save nothing
w = torch.randn(3, requires_grad=True)
a = w + 1
b = a - 2
c = torch.cat([a, b])
m = c.mean() + a.sum()
a.mul_(2)
b.zero_()
c.add_(1)
(m + a.sum() + b.sum() + c.sum()).backward()

== norm saves input and result
w = torch.randn(3, requires_grad=True)
h = w * 1.5
n = h.norm()
n += 1e-6  # <- IPG101
n.backward()
--
w = torch.randn(3, requires_grad=True)
h = w * 1.5
n = h.norm() + 1e-6
n.backward()

== sqrt saves its result
w = torch.rand(3, requires_grad=True)
s = (w + 1).sqrt()
s.add_(1e-8)  # <- IPG101
s.sum().backward()
--
w = torch.rand(3, requires_grad=True)
s = (w + 1).add_(1e-8).sqrt()
s.sum().backward()

== silu in place keeps a copy
w = torch.randn(3, requires_grad=True)
h = w * 2
y = F.silu(h, inplace=True)
y.sum().backward()

== nothing is saved where nothing requires grad
x = torch.randn(3)
y = x.exp()
y += 1
z = y * x
x.zero_()
w = torch.randn(3, requires_grad=True)
(w + z).sum().backward()

== what no backward needs may be written
w = torch.randn(3, requires_grad=True)
h = w.exp()
h += 1
(w * 2).sum().backward()

== a write before the save is fine
w = torch.randn(3, requires_grad=True)
h = w * 1
h += 1
h *= 2
y = h.exp().log()
y.sum().backward()

== what the op needs of its own target is kept before it writes
w = torch.rand(3, requires_grad=True)
h = w + 1
h.mul_(h)  # <- IPG101
h.sum().backward()
--
w = torch.rand(3, requires_grad=True)
h = w + 1
h.mul_(h.sigmoid())
h.pow_(2)
h.sum().backward()

== std and var save
w = torch.randn(4, requires_grad=True)
h = w * 3
s = h.std()
h.sub_(1)  # <- IPG101
(h / 2 + s).sum().backward()
--
w = torch.randn(4, requires_grad=True)
h = w * 3
m = h.mean()
h.sub_(m)
h.sum().backward()

== logsumexp saves its result
w = torch.randn(2, 3, requires_grad=True)
z = (w * 1).logsumexp(-1)
z *= 2  # <- IPG101
z.sum().backward()
--
w = torch.randn(2, 3, requires_grad=True)
z = (w * 1).logsumexp(-1) * 2
z.sum().backward()

== what mul_ saves hangs on its target as it was before !! the gates of an in-place op are asked after its write
w = torch.rand(3, requires_grad=True)
a = w * 1.5
b = torch.rand(3)
b *= a
a.reciprocal_()
(b.sum() + a.sum()).backward()
-- if it required grad already
w = torch.rand(3, requires_grad=True)
a = w * 1.5
b = w + 1
b *= a
a.add_(1)  # <- IPG101
(b.sum() + a.sum()).backward()

== detach_ of what requires no grad changes nothing !! any detach_ is taken for a write
w = torch.rand(3, requires_grad=True)
b = torch.rand(3)
y = w * b
b.detach_()
y.sum().backward()
-- another shape in place counts as a write
w = torch.rand(3, requires_grad=True)
b = torch.rand(3)
y = w * b
b.unsqueeze_(0)  # <- IPG101
y.sum().backward()
"""

test_linter, test_pytorch = checked(PROGRAMS)
