"""Two names for one tensor, one of them taken for a copy: what hooks keep, what is put aside, slices of buffers."""

from __future__ import annotations

from .programs import checked

PROGRAMS = """
== what a forward hook keeps, an in-place module behind it overwrites
class Tap:
    def __init__(self, module):
        self.value = None
        module.register_forward_hook(self.keep)
    def keep(self, module, inputs, output):
        self.value = output
net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True), nn.Linear(3, 3))  # <- IPG207
tap = Tap(net[0])
torch.manual_seed(0)
x = torch.randn(4, 3, requires_grad=True)
net(x)
tap.value.square().sum().backward()
result = x.grad
--
class Tap:
    def __init__(self, module):
        self.value = None
        module.register_forward_hook(self.keep)
    def keep(self, module, inputs, output):
        self.value = output
net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3))
tap = Tap(net[0])
torch.manual_seed(0)
x = torch.randn(4, 3, requires_grad=True)
net(x)
tap.value.square().sum().backward()
result = x.grad
--
class Tap:
    def __init__(self, module):
        self.norm = None
        module.register_forward_hook(self.keep)
    def keep(self, module, inputs, output):
        self.norm = output.square().mean()
        return output
net = nn.Sequential(nn.Linear(3, 3), nn.LeakyReLU(inplace=True), nn.Linear(3, 3))
tap = Tap(net[2])
x = torch.randn(4, 3, requires_grad=True)
(net(x).sum() + tap.norm).backward()

== an argument written under a second name, and read again by the caller
def mixed(real, alpha):
    mid = real
    mid *= alpha  # <- IPG212
    return mid.exp()
real = torch.ones(3)
w = torch.ones(3, requires_grad=True)
(mixed(real, 0.5) * w + real * w).sum().backward()
result = w.grad
--
def mixed(real, alpha):
    mid = real
    mid = mid * alpha
    return mid.exp()
real = torch.ones(3)
w = torch.ones(3, requires_grad=True)
(mixed(real, 0.5) * w + real * w).sum().backward()
result = w.grad
--
def scale(state, alpha):
    out = state
    out *= alpha
state = torch.ones(3)
scale(state, 0.5)
w = torch.ones(3, requires_grad=True)
(state * w).sum().backward()
--
def scaled(state, alpha):
    out = state
    out *= alpha
    return out
state = torch.ones(3)
state = scaled(state, 0.5)
w = torch.ones(3, requires_grad=True)
(state * w).sum().backward()

== a running total that began as the first of the values
w = torch.ones(2, requires_grad=True)
first, total = [], None
for i in range(3):
    value = (w * (i + 1)).sum().detach()
    if total is None:
        total = value
    else:
        total += value  # <- IPG207
    first.append(value)
(torch.stack(first) / total * w.sum()).sum().backward()
result = w.grad
--
w = torch.ones(2, requires_grad=True)
first, total = [], None
for i in range(3):
    value = (w * (i + 1)).sum().detach()
    if total is None:
        total = value.clone()
    else:
        total += value
    first.append(value)
(torch.stack(first) / total * w.sum()).sum().backward()
result = w.grad
--
w = torch.ones(2, requires_grad=True)
total = torch.zeros(())
kept = [total]
for i in range(3):
    total += (w * i).sum().detach()
(kept[0] * w).sum().backward()

== weights put back from an alias of themselves
net = nn.Linear(3, 2)
torch.manual_seed(0)
nn.init.normal_(net.weight)
master = {}
for name, p in net.named_parameters():
    master[name] = p.data
    p.data.copy_(p.data.round())  # <- IPG207
net(torch.ones(2, 3)).sum().backward()
for name, p in net.named_parameters():
    p.data.copy_(master[name])
result = net.weight.detach()
--
net = nn.Linear(3, 2)
torch.manual_seed(0)
nn.init.normal_(net.weight)
master = {}
for name, p in net.named_parameters():
    master[name] = p.data.clone()
    p.data.copy_(p.data.round())
net(torch.ones(2, 3)).sum().backward()
for name, p in net.named_parameters():
    p.data.copy_(master[name])
result = net.weight.detach()
--
w = torch.ones(4, requires_grad=True)
packed = torch.empty(4)
packed.view(2, 2).zero_()
packed.copy_(torch.ones(4))
(packed * w).sum().backward()
--
layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(3)])
first = layers[0].weight.data
first.uniform_()
for layer in layers:
    layer.weight.data.copy_(first)
layers[1](torch.ones(2, 3)).sum().backward()

== a slice of a buffer, rewritten as if it were a value
class Decay(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.full((4, 4), 0.5))
    def forward(self, scores, sharpness):
        decay = self.table[:3, :3]
        decay.pow_(sharpness)  # <- IPG207
        return scores + decay
net = Decay()
w = torch.ones(3, 3, requires_grad=True)
((net(w, 2.0) + net(w, 2.0)) ** 2).sum().backward()
result = w.grad
--
class Decay(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.full((4, 4), 0.5))
    def forward(self, scores, sharpness):
        decay = self.table[:3, :3]
        decay = decay.pow(sharpness)
        return scores + decay
net = Decay()
w = torch.ones(3, 3, requires_grad=True)
((net(w, 2.0) + net(w, 2.0)) ** 2).sum().backward()
result = w.grad
--
class Counts(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(4))
        self.register_buffer("mean", torch.zeros(4))
    def forward(self, x):
        self.count[:3] += 1
        with torch.no_grad():
            mean = self.mean[:3]
            mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
        return x + self.count[:3] - mean
net = Counts()
w = torch.ones(3, requires_grad=True)
(net(w * torch.ones(2, 3)) + net(w * torch.ones(2, 3))).sum().backward()

== the items of a display, written in a loop
def gates(z):
    i, f, o = (part.clone() for part in z.chunk(3, -1))
    for gate in (i, f, o):
        gate.sigmoid_()
    return i * f * o
w = torch.ones(6, requires_grad=True)
gates(w * 1).sum().backward()
"""

test_linter, test_pytorch = checked(PROGRAMS)
