"""no_grad, inference_mode, enable_grad, set_grad_enabled: as with, decorator and call."""

from __future__ import annotations

from .programs import checked

PROGRAMS = """
== no_grad stops saves, not writes
w = torch.randn(3, requires_grad=True)
h = w.exp()
with torch.no_grad():
    h.clamp_(max=2)  # <- IPG101
h.sum().backward()
--
w = torch.randn(3, requires_grad=True)
with torch.no_grad():
    h = w.exp()
    h.clamp_(max=2)
(w * h).sum().backward()

== a decorated helper writes
@torch.no_grad()
def clip(t):
    t.clamp_(max=2)  # <- IPG101
w = torch.randn(3, requires_grad=True)
h = w.exp()
clip(h)
h.sum().backward()
--
@torch.no_grad()
def clip(t):
    return t.clamp(max=2)
w = torch.randn(3, requires_grad=True)
h = w.exp()
clip(h)
h.sum().backward()

== the decorator without parentheses
@torch.no_grad
def halve(lin):
    lin.weight.mul_(0.5)
lin = nn.Linear(2, 2)
halve(lin)
lin(torch.ones(1, 2)).sum().backward()
-- and without it
def halve(lin):
    lin.weight.mul_(0.5)  # <- IPG103
lin = nn.Linear(2, 2)
halve(lin)
lin(torch.ones(1, 2)).sum().backward()

== a whole step under no_grad
w = torch.randn(3, requires_grad=True)
with torch.no_grad():
    loss = (w * 2).sum()
loss.backward()  # <- IPG302
--
w = torch.randn(3, requires_grad=True)
with torch.no_grad():
    probe = (w * 2).sum()
loss = (w * 2).sum()
loss.backward()

== validation forgot to switch back
w = torch.randn(3, requires_grad=True)
torch.set_grad_enabled(False)
loss = w.square().sum()
loss.backward()  # <- IPG302
--
w = torch.randn(3, requires_grad=True)
torch.set_grad_enabled(False)
probe = w.square().sum()
torch.set_grad_enabled(True)
loss = w.square().sum()
loss.backward()

== set_grad_enabled as a context
train = True
w = torch.randn(3, requires_grad=True)
with torch.set_grad_enabled(False):
    w.mul_(2)
with torch.set_grad_enabled(True):
    h = w.exp()
    h.mul_(2)  # <- IPG101
h.sum().backward()
--
train = True
w = torch.randn(3, requires_grad=True)
with torch.set_grad_enabled(False):
    w.mul_(2)
with torch.set_grad_enabled(train):
    h = w.exp()
    h = h.mul(2)
h.sum().backward()

== enable_grad inside no_grad
w = torch.randn(3, requires_grad=True)
with torch.no_grad():
    with torch.enable_grad():
        h = w.exp()
    h += 1  # <- IPG101
h.sum().backward()
--
w = torch.randn(3, requires_grad=True)
with torch.no_grad():
    with torch.enable_grad():
        h = w * 2
    probe = h.exp()
    probe += 1
h.sum().backward()

== an inference tensor written outside
with torch.inference_mode():
    table = torch.zeros(3)
table += 1  # <- IPG108
--
with torch.inference_mode():
    table = torch.zeros(3)
    table += 1
mine = table.clone()
mine += 1

== an inference tensor saved
w = torch.randn(3, requires_grad=True)
with torch.inference_mode():
    scale = torch.ones(3)
y = w * scale  # <- IPG108
y.sum().backward()
--
w = torch.randn(3, requires_grad=True)
with torch.inference_mode():
    scale = torch.ones(3)
y = w * scale.clone()
y = y + scale
y.sum().backward()

== an early return leaves the mode
def probe(w):
    with torch.no_grad():
        if w.sum() > -100:
            return w.exp()
    return w
w = torch.randn(3, requires_grad=True)
probe(w)
h = w.exp()
h += 1  # <- IPG101
h.sum().backward()
--
def probe(w):
    with torch.no_grad():
        if w.sum() > -100:
            return w.exp()
    return w * 1
w = torch.randn(3, requires_grad=True)
p = probe(w)
p += 1
(w * p).sum().backward()

== eval code
net = nn.Sequential(nn.Linear(3, 3), nn.Softmax(-1))
net.eval()
with torch.inference_mode():
    p = net(torch.randn(2, 3))
    p += 1e-6
    p.log_()
@torch.no_grad()
def sample(logits):
    probs = logits.softmax(-1)
    probs[..., 0] = 0
    probs /= probs.sum(-1, keepdim=True)
    return probs
sample(torch.randn(2, 3, requires_grad=True))
net(torch.randn(2, 3)).sum().backward()

== a leaf made under no_grad is a leaf
with torch.no_grad():
    w = nn.Parameter(torch.zeros(3))
    w.fill_(1)
w.add_(1)  # <- IPG103
--
with torch.no_grad():
    w = nn.Parameter(torch.zeros(3))
    w.fill_(1)
(w + 1).sum().backward()

== a view taken under no_grad must not be written with it
w = torch.randn(3, requires_grad=True)
h = w * 2
with torch.no_grad():
    row = h[:1]
row.mul_(2)  # <- IPG105
h.sum().backward()
--
w = torch.randn(3, requires_grad=True)
h = w * 2
row = h[:1]
row.mul_(2)
h.sum().backward()

== the target network
net, target = nn.Linear(3, 3), nn.Linear(3, 3)
x = torch.randn(2, 3)
with torch.no_grad():
    goal = target(x)
    goal.mul_(0.9).add_(1)
F.mse_loss(net(x), goal).backward()
with torch.no_grad():
    for p, q in zip(net.parameters(), target.parameters()):
        q.mul_(0.99).add_(p, alpha=0.01)

== grad mode is switched in a helper
def freeze():
    torch.set_grad_enabled(False)
w = torch.randn(3, requires_grad=True)
freeze()
w.add_(1)
torch.set_grad_enabled(True)
w.sum().backward()

== requires_grad_ after the fill
buf = torch.zeros(3)
buf[1] = 2
buf += 1
buf.requires_grad_(True)
buf *= 2  # <- IPG103
--
buf = torch.zeros(3)
buf[1] = 2
buf += 1
buf.requires_grad_(True)
(buf * 2).sum().backward()
buf.requires_grad_(False)
buf *= 2

== an attack that differentiates by hand
model = nn.Linear(3, 2)
def attack(x, y):
    delta = torch.zeros_like(x, requires_grad=True)
    for _ in range(2):
        loss = F.cross_entropy(model(x + delta), y)
        (g,) = torch.autograd.grad(loss, delta)
        delta += 0.1 * g.sign()  # <- IPG103
    return delta.detach()
>> run
attack(torch.randn(4, 3), torch.tensor([0, 1, 0, 1]))
--
model = nn.Linear(3, 2)
def attack(x, y):
    delta = torch.zeros_like(x, requires_grad=True)
    for _ in range(2):
        loss = F.cross_entropy(model(x + delta), y)
        (g,) = torch.autograd.grad(loss, delta)
        with torch.no_grad():
            delta += 0.1 * g.sign()
    return delta.detach()
>> run
attack(torch.randn(4, 3), torch.tensor([0, 1, 0, 1]))

== a view of a leaf taken under no_grad !! such views are known only of what has history
p = nn.Parameter(torch.zeros(3, 3))
with torch.no_grad():
    row = p[0]
row.add_(1)  # <- IPG105
--
p = nn.Parameter(torch.zeros(3, 3))
with torch.no_grad():
    row = p[0]
    row.add_(1)
p.sum().backward()

== what is saved under allow_mutation_on_saved_tensors is copied before it is written
w = torch.ones(3, requires_grad=True)
with torch.autograd.graph.allow_mutation_on_saved_tensors():
    h = w.exp()
    h.add_(1)
    h.sum().backward()
h = w.exp()
h.add_(1)  # <- IPG101
h.sum().backward()
--
from torch.autograd.graph import allow_mutation_on_saved_tensors
@allow_mutation_on_saved_tensors()
def step(net, x):
    net(x).sum().backward()
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
    def forward(self, x):
        h = self.lin(x).exp()
        h += 1
        return h
step(Net(), torch.ones(2, 3))

== backward from a view taken under no_grad runs !! such a view requires grad, which is not known
w = torch.ones(3, requires_grad=True)
h = w * 2
with torch.no_grad():
    v = h.view(3)
v.sum().backward()
"""

test_linter, test_pytorch = checked(PROGRAMS)
