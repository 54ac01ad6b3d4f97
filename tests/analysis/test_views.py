"""Views and aliases: one memory under several names, leaves and their views, pieces, expanded memory."""

from __future__ import annotations

from .programs import checked

PROGRAMS = """
== what is replaced by a parameter made of itself was one before
def chain(plan):
    return nn.Sequential(*[make(*sizes) for make, sizes in plan])
class Net(nn.Module):
    def __init__(self, plan):
        super().__init__()
        self.body = chain(plan)
        self.prior()
    def prior(self):
        last = self.body[-1]
        bias = last.bias.view(3, -1)
        bias[:, 0] += 4.0  # <- IPG104
        last.bias = nn.Parameter(bias.view(-1))
    def forward(self, x):
        return self.body(x)
>> run
Net([(nn.Linear, (3, 6))])
--
def chain(plan):
    return nn.Sequential(*[make(*sizes) for make, sizes in plan])
class Net(nn.Module):
    def __init__(self, plan):
        super().__init__()
        self.body = chain(plan)
        self.prior()
    def prior(self):
        last = self.body[-1]
        bias = last.bias.data.view(3, -1)
        bias[:, 0] += 4.0
        last.bias = nn.Parameter(bias.view(-1))
    def forward(self, x):
        return self.body(x)
>> run
Net([(nn.Linear, (3, 6))])
--
class Table:
    def __init__(self, rows):
        self.rows = rows
def settle(table):
    table.rows[0] += 1.0
    table.rows = nn.Parameter(table.rows)
    table.rows.sum().backward()
>> run
settle(Table(torch.zeros(2, 3)))

== a second name is no copy
w = torch.randn(3, requires_grad=True)
h = w.tanh()
g = h
g.add_(1)  # <- IPG101
h.sum().backward()
--
w = torch.randn(3, requires_grad=True)
h = w.tanh()
g = h.clone()
g.add_(1)
(g.sum() + h.sum()).backward()

== rebinding ends an alias
w = torch.randn(3, requires_grad=True)
h = w.tanh()
g = h
g = g + 1
g.add_(1)
(g.sum() + h.sum()).backward()

== a view of what was saved
w = torch.randn(2, 3, requires_grad=True)
h = w.exp()
h.view(-1)[0] = 0  # <- IPG101
h.sum().backward()
--
w = torch.randn(2, 3, requires_grad=True)
h = w.exp()
flat = h.clone().view(-1)
flat[0] = 0
flat.sum().backward()

== the base of what was saved through a view
w = torch.randn(2, 3, requires_grad=True)
h = w * 2
y = h[0].exp() * h[0].log1p()
z = h[1].square()
h.add_(1)  # <- IPG101
(z.sum() + h.sum()).backward()
--
w = torch.randn(2, 3, requires_grad=True)
h = w * 2
z = h[1].clone().square()
h.add_(1)
(z.sum() + h.sum()).backward()

== disjoint slices share one counter
w = torch.randn(4, requires_grad=True)
h = w * 2
left = h[:2].square()
h[2:] = 0  # <- IPG101
(left.sum() + h.sum()).backward()
--
w = torch.randn(4, requires_grad=True)
h = w * 2
left = h[:2].clone().square()
h[2:] = 0
(left.sum() + h.sum()).backward()

== reshape of a contiguous tensor is a view
w = torch.randn(2, 3, requires_grad=True)
h = w.sigmoid()
r = h.reshape(3, 2)
r.mul_(2)  # <- IPG101
r.sum().backward()
--
w = torch.randn(2, 3, requires_grad=True)
h = w.sigmoid()
r = h.t().reshape(2, 3)
r.mul_(2)
r.sum().backward()

== transpose is a view, flatten of it is not
w = torch.randn(2, 3, requires_grad=True)
h = w.sigmoid()
h.t().add_(1)  # <- IPG101
h.sum().backward()
--
w = torch.randn(2, 3, requires_grad=True)
h = w.sigmoid()
f = h.transpose(0, 1).flatten()
f.add_(1)
f.sum().backward()

== detach shares memory
w = torch.randn(3, requires_grad=True)
h = w.exp()
d = h.detach()
d.zero_()  # <- IPG101
h.sum().backward()
--
w = torch.randn(3, requires_grad=True)
h = w.exp()
d = h.detach().clone()
d.zero_()
h.sum().backward()

== contiguous of what is contiguous is the same tensor
w = torch.randn(3, requires_grad=True)
h = w.exp()
c = h.contiguous()
c += 1  # <- IPG101
c.sum().backward()
--
w = torch.randn(2, 3, requires_grad=True)
h = w.exp()
c = h.transpose(0, 1).contiguous()
c += 1
c.sum().backward()

== advanced indexing copies
w = torch.randn(4, requires_grad=True)
h = w.exp()
picked = h[torch.tensor([0, 1])]
picked.add_(1)
first = h[:2]
rest = h[h > 0]
rest.mul_(2)
(picked.sum() + rest.sum() + first.sum()).backward()

== a row, a column, a step
w = torch.randn(4, 4, requires_grad=True)
h = w.exp()
h[::2, 1] -= 1  # <- IPG101
h.sum().backward()
--
w = torch.randn(4, 4, requires_grad=True)
h = w.exp() + 0
h[::2, 1] -= 1
h.sum().backward()

== select, narrow, diagonal, unsqueeze, squeeze
w = torch.randn(3, 3, requires_grad=True)
h = w.exp()
h.diagonal().fill_(0)  # <- IPG101
h.sum().backward()
--
w = torch.randn(3, 3, requires_grad=True)
h = w.exp().clone()
h.diagonal().fill_(0)
h.unsqueeze(0).narrow(1, 0, 1).squeeze().select(0, 1).mul_(2)
h.sum().backward()

== a leaf
w = torch.zeros(3, requires_grad=True)
w.add_(1)  # <- IPG103
--
w = torch.zeros(3)
w.add_(1)
w.requires_grad_()
(w * 2).sum().backward()

== a parameter of a module
lin = nn.Linear(2, 2)
lin.weight.mul_(0.5)  # <- IPG103
--
lin = nn.Linear(2, 2)
with torch.no_grad():
    lin.weight.mul_(0.5)
nn.init.zeros_(lin.bias)
lin.weight.data.mul_(0.5)
lin(torch.ones(1, 2)).sum().backward()

== augmented assignment to a leaf
w = nn.Parameter(torch.zeros(3))
w -= 0.1  # <- IPG103
--
w = nn.Parameter(torch.zeros(3))
w = w - 0.1
w -= 1
w.sum().backward()

== a view of a leaf
w = torch.zeros(3, requires_grad=True)
w[0] = 1.0  # <- IPG104
--
w = torch.zeros(3, requires_grad=True)
h = w.clone()
h[0] = 1.0
h.sum().backward()

== a row of a leaf
w = torch.zeros(3, 3, requires_grad=True)
row = w[0]
row.add_(1)  # <- IPG104
--
w = torch.zeros(3, 3, requires_grad=True)
row = w[0].clone()
row.add_(1)
with torch.no_grad():
    w[0].add_(1)
row.sum().backward()

== the transposed leaf
w = nn.Parameter(torch.zeros(3, 2))
w.T.copy_(torch.ones(2, 3))  # <- IPG104
--
w = nn.Parameter(torch.zeros(3, 2))
with torch.no_grad():
    w.T.copy_(torch.ones(2, 3))
w.sum().backward()

== one of several views
w = torch.randn(4, requires_grad=True)
a, b = (w * 2).chunk(2)
a += 1  # <- IPG105
a.sum().backward()
--
w = torch.randn(4, requires_grad=True)
a, b = (w * 2).chunk(2)
a = a + 1
a += b
a.sum().backward()

== unpacking a tensor unbinds it
w = torch.randn(2, 3, requires_grad=True)
mean, logvar = w * 2
logvar.clamp_(max=3)  # <- IPG105
(mean.sum() + logvar.sum()).backward()
--
w = torch.randn(2, 3, requires_grad=True)
h = w * 2
mean, logvar = h[0], h[1]
logvar.clamp_(max=3)
(mean.sum() + logvar.sum()).backward()

== iterating over a tensor unbinds it
w = torch.randn(2, 3, requires_grad=True)
for row in w * 2:
    row.sub_(1)  # <- IPG105
--
w = torch.randn(2, 3, requires_grad=True)
h = w * 2
for i in range(2):
    h[i].sub_(1)
h.sum().backward()

== split pieces without a graph
x = torch.randn(4)
a, b = x.split(2)
a += 1
b.mul_(2)
w = torch.randn(4, requires_grad=True)
(w * x).sum().backward()

== expanded memory
x = torch.zeros(3, 1)
big = x.expand(3, 4)
big.add_(1)  # <- IPG106
--
x = torch.zeros(3, 1)
big = x.expand(3, 4).clone()
big.add_(1)
x.add_(1)

== expand_as of a result
w = torch.randn(1, 3, requires_grad=True)
h = (w * 2).expand_as(torch.zeros(2, 3))
h *= 2  # <- IPG106
h.sum().backward()
--
w = torch.randn(1, 3, requires_grad=True)
h = (w * 2).repeat(2, 1)
h *= 2
h.sum().backward()

== overlapping slices of one tensor
x = torch.arange(5.0)
x[1:] = x[:-1]  # <- IPG106
--
x = torch.arange(5.0)
x[1:] = x[:-1].clone()
x[:2] = x[2:4]

== swapping two rows through views
w = torch.randn(2, 3, requires_grad=True)
h = w * 2
h[0], h[1] = h[1].clone(), h[0].clone()
h.sum().backward()

== out= with an argument that requires grad
w = torch.randn(3, requires_grad=True)
buf = torch.empty(3)
torch.mul(w, 2, out=buf)  # <- IPG110
--
w = torch.randn(3, requires_grad=True)
buf = torch.empty(3)
with torch.no_grad():
    torch.mul(w, 2, out=buf)
torch.mul(buf, 2, out=buf)
(w * buf).sum().backward()

== out= overwrites what was saved
w = torch.randn(3, requires_grad=True)
buf = torch.randn(3)
y = w * buf
torch.exp(torch.zeros(3), out=buf)  # <- IPG101
y.sum().backward()
--
w = torch.randn(3, requires_grad=True)
buf = torch.randn(3)
torch.exp(torch.zeros(3), out=buf)
y = w * buf
y.sum().backward()

== to of the same dtype and device aliases
w = torch.randn(3, requires_grad=True)
h = w.exp()
f = h.to(torch.float32)
f += 1  # <- IPG101
f.sum().backward()
--
w = torch.randn(3, requires_grad=True)
h = w.exp()
f = h.to(torch.float64)
f += 1
f.sum().backward()

== a hook of the same tensor written through view_as
w = torch.randn(3, requires_grad=True)
h = w.exp()
v = h.view_as(h)
v.neg_()  # <- IPG101
v.sum().backward()
--
w = torch.randn(3, requires_grad=True)
h = torch.empty_like(w.exp())
h.copy_(w)
h.neg_()
h.sum().backward()

== real and imaginary parts are views
w = torch.randn(3, requires_grad=True)
z = torch.polar(w.exp(), w)
y = z.abs()
z.real.zero_()  # <- IPG101
y.sum().backward()
--
w = torch.randn(3, requires_grad=True)
z = torch.polar(w.exp(), w)
y = z.clone().abs()
y.sum().backward()

== turning expanded memory writes no element !! t_ is taken for a write of elements
w = torch.rand(1, 3, requires_grad=True)
e = (w * 2).expand(3, 3)
e.t_()
e.unsqueeze_(0)
e.sum().backward()

== detach_ of a view, whether it requires grad or not !! reported only where there is history
x = torch.rand(4)
v = x.view(2, 2)
v.detach_()  # <- IPG105
--
x = torch.rand(4)
v = x.view(2, 2).detach()
v.add_(1)

== masks and index tensors write expanded memory in silence !! taken for a write that raises (IPG106)
x = torch.zeros(1, 3)
rows = x.expand(4, 3)
rows[torch.tensor([0])] = 1.0  # <- IPG211
w = torch.ones(4, 3, requires_grad=True)
(rows * w).sum().backward()
result = rows
--
x = torch.zeros(1, 3)
rows = x.repeat(4, 1)
rows[torch.tensor([0])] = 1.0
w = torch.ones(4, 3, requires_grad=True)
(rows * w).sum().backward()
result = rows

== an op writes the detached tensor whose memory it saved !! a detached tensor gets no history by a method
w = torch.rand(3, requires_grad=True)
a = w + 1
c = a.exp() * a
d = a.detach()
d.addcmul_(c, c)  # <- IPG101
d.sum().backward()
--
w = torch.rand(3, requires_grad=True)
a = w + 1
c = a.exp() * a
d = a.detach().clone()
d.addcmul_(c, c)
d.sum().backward()
"""

test_linter, test_pytorch = checked(PROGRAMS)
