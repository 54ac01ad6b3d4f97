"""The life of a graph: second backward, retain_graph, steps without a graph, losses that were cut."""

from __future__ import annotations

from .programs import checked

PROGRAMS = """
== a loss of one kind or another, and no else
def steps(kind, batches):
    net = nn.Linear(2, 1)
    for batch in batches:
        if kind == "square":
            loss = net(batch).pow(2).mean()
        elif kind == "mean":
            loss = net(batch).exp().mean()
        loss.backward()
>> run
steps("square", [torch.ones(1, 2), torch.ones(1, 2)])

== backward twice
w = torch.randn(3, requires_grad=True)
loss = w.exp().sum()
loss.backward()
loss.backward()  # <- IPG301
--
w = torch.randn(3, requires_grad=True)
loss = w.exp().sum()
loss.backward(retain_graph=True)
loss.backward()

== a graph that saved nothing may be run twice
w = torch.randn(3, requires_grad=True)
loss = (w + 1).sum()
loss.backward()
loss.backward()

== a second loss through the shared trunk
trunk, a, b = nn.Sequential(nn.Linear(3, 3), nn.Tanh()), nn.Linear(3, 1), nn.Linear(3, 1)
h = trunk(torch.randn(2, 3))
a(h).sum().backward()
b(h).sum().backward()  # <- IPG301
--
trunk, a, b = nn.Sequential(nn.Linear(3, 3), nn.Tanh()), nn.Linear(3, 1), nn.Linear(3, 1)
h = trunk(torch.randn(2, 3))
(a(h).sum() + b(h).sum()).backward()

== a hidden state carried into the next step
rnn = nn.GRUCell(3, 3)
opt = torch.optim.SGD(rnn.parameters(), lr=0.1)
h = torch.zeros(1, 3)
for x in torch.randn(2, 1, 3):
    h = rnn(x, h)
    loss = h.square().sum()
    opt.zero_grad()
    loss.backward()  # <- IPG301
    opt.step()
--
rnn = nn.GRUCell(3, 3)
opt = torch.optim.SGD(rnn.parameters(), lr=0.1)
h = torch.zeros(1, 3)
for x in torch.randn(2, 1, 3):
    h = rnn(x, h.detach())
    loss = h.square().sum()
    opt.zero_grad()
    loss.backward()
    opt.step()

== detach_ cuts the carried state as well
rnn = nn.GRUCell(3, 3)
h = torch.zeros(1, 3)
for x in torch.randn(2, 1, 3):
    h = rnn(x, h)
    h.square().sum().backward()
    h.detach_()

== something computed once, outside the loop
w = torch.randn(3, requires_grad=True)
scale = w.exp()
for t in range(2):
    loss = (scale * t).sum()
    loss.backward()  # <- IPG301
--
w = torch.randn(3, requires_grad=True)
for t in range(2):
    scale = w.exp()
    loss = (scale * t).sum()
    loss.backward()

== autograd.grad frees as well
w = torch.randn(3, requires_grad=True)
y = w.sin().sum()
(g,) = torch.autograd.grad(y, w)
y.backward()  # <- IPG301
--
w = torch.randn(3, requires_grad=True)
y = w.sin().sum()
(g,) = torch.autograd.grad(y, w, create_graph=True)
(y + g.square().sum()).backward()

== a backward on each of two graphs
w = torch.randn(3, requires_grad=True)
for t in range(2):
    a, b = w.exp().sum(), w.sin().sum()
    a.backward()
    b.backward()

== a backward in two helpers
def step(loss):
    loss.backward()  # <- IPG301
w = torch.randn(3, requires_grad=True)
h = w.exp()
step(h.sum())
step(h.mean())
--
def step(loss):
    loss.backward()
w = torch.randn(3, requires_grad=True)
step(w.exp().sum())
step(w.exp().mean())

== a leaf of its own, made of what was detached
w = torch.ones(3, requires_grad=True)
v = w.detach()
v.requires_grad_()
(v * v).sum().backward()
--
w = torch.ones(3, requires_grad=True)
w = (w * 2).detach()
w += 1
w.requires_grad = True
(w * w).sum().backward()

== a list of items made a tensor
net = nn.Linear(2, 1)
losses = []
for _ in range(3):
    losses.append(net(torch.ones(1, 2)).sum().item())
torch.tensor(losses).mean().backward()  # <- IPG303
--
net = nn.Linear(2, 1)
losses = []
for _ in range(3):
    losses.append(net(torch.ones(1, 2)).sum())
torch.stack(losses).mean().backward()

== the loss is detached
w = torch.randn(3, requires_grad=True)
loss = w.square().sum().detach()
loss.backward()  # <- IPG303
--
w = torch.randn(3, requires_grad=True)
loss = w.square().sum()
print(loss.detach())
loss.backward()

== requires_grad_ on a detached loss
w = torch.ones(3, requires_grad=True)
loss = w.square().sum().detach().requires_grad_()
loss.backward()  # <- IPG303
result = w.grad if w.grad is not None else torch.zeros(3)
--
w = torch.ones(3, requires_grad=True)
loss = w.square().sum()
loss.backward()
result = w.grad

== a loss rebuilt from its number
w = torch.ones(3, requires_grad=True)
loss = torch.tensor(w.square().sum().item(), requires_grad=True)  # <- IPG303
loss.backward()
result = w.grad if w.grad is not None else torch.zeros(3)
--
w = torch.ones(3, requires_grad=True)
loss = w.square().sum()
running = torch.tensor(loss.item())
loss.backward()
result = w.grad

== only one of the terms is detached
w = torch.randn(3, requires_grad=True)
probs = w.softmax(0)
loss = (probs * probs.detach().log()).sum()
loss.backward()

== predictions computed under no_grad
net = nn.Linear(3, 1)
with torch.no_grad():
    y = net(torch.randn(2, 3))
loss = F.mse_loss(y, torch.zeros(2, 1))
loss.backward()  # <- IPG302
--
net = nn.Linear(3, 1)
with torch.no_grad():
    goal = net(torch.randn(2, 3))
loss = F.mse_loss(net(torch.randn(2, 3)), goal)
loss.backward()

== predict is decorated
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 1)
    @torch.no_grad()
    def predict(self, x):
        return self.lin(x)
model = Model()
loss = model.predict(torch.randn(2, 3)).mean()
loss.backward()  # <- IPG302
--
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 1)
    @torch.no_grad()
    def predict(self, x):
        return self.lin(x)
    def forward(self, x):
        return self.lin(x)
model = Model()
model.predict(torch.randn(2, 3))
loss = model(torch.randn(2, 3)).mean()
loss.backward()

== a whole epoch under no_grad, in a function
def epoch(net, opt, batches):
    for x in batches:
        opt.zero_grad()
        loss = net(x).mean()
        loss.backward()  # <- IPG302
        opt.step()
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
with torch.no_grad():
    epoch(net, opt, [torch.randn(2, 3)])
--
def epoch(net, opt, batches):
    for x in batches:
        opt.zero_grad()
        loss = net(x).mean()
        loss.backward()
        opt.step()
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
epoch(net, opt, [torch.randn(2, 3)])

== a frozen network trains nothing
net = nn.Linear(3, 1)
net.requires_grad_(False)
x = torch.randn(2, 3, requires_grad=True)
net(x).sum().backward()
"""

test_linter, test_pytorch = checked(PROGRAMS)
