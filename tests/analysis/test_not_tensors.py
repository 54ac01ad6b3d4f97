"""Things that are no tensors: lists, numbers, strings, arrays, sets, other libraries' methods that end in `_`."""

from __future__ import annotations

from .programs import checked

PROGRAMS = """
== numbers, strings, lists, sets, dicts
w = torch.randn(3, requires_grad=True)
n, s, xs, seen, table = 1, "a", [1], {1}, {}
for i in range(3):
    n += i
    n **= 2
    s += "b"
    xs += [i]
    xs[0] += 1
    seen |= {i}
    table[i] = n
    table[i] += 1
shape = w.shape
size = w.size(0)
size //= 2
length = len(w)
length -= 1
(w * n * size * length).sum().backward()

== arrays of their own
import numpy as np
w = torch.randn(3, requires_grad=True)
a = np.zeros(3)
a += 1
a[0] = 5
b = w.detach().numpy() + 1
b *= 2
total = np.zeros(())
total += b.sum()
(w.exp() * 2).sum().backward()

== a list that a module got
class Net(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.body = body
    def forward(self, x, cache):
        y = self.body(x, cache)
        cache[0] = y
        cache += [y]
        return y
>> run
Net(lambda x, cache: x * 2)(torch.randn(3, requires_grad=True), [0]).sum().backward()

== methods that end in an underscore
class Query:
    def __init__(self):
        self.parts = []
    def filter_(self, part):
        self.parts.append(part)
        return self
    def add_(self, part):
        return self.filter_(part)
w = torch.randn(3, requires_grad=True)
query = Query()
query.add_(w.exp()).filter_(w).add_(1)
sum(p.sum() for p in query.parts[:2]).backward()

== items and attributes of configuration
class Config:
    lr = 0.1
    steps = [1, 2]
    scale = {"a": 1.0}
class Net(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.calls = 0
        self.lin = nn.Linear(3, 3)
    def forward(self, x):
        self.calls += 1
        self.config.lr *= 0.5
        self.config.scale["a"] += 1
        self.config.steps[0] -= 1
        return self.lin(x) * self.config.lr * self.calls
>> run
Net(Config())(torch.randn(2, 3)).sum().backward()

== counters, meters and logs beside a training loop
from collections import Counter, defaultdict
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
meter, counts, total, n = defaultdict(float), Counter(), 0.0, 0
for x in [torch.randn(2, 3)] * 2:
    opt.zero_grad()
    loss = net(x).mean()
    loss.backward()
    opt.step()
    total += loss.item()
    n += x.size(0)
    meter["loss"] += float(loss)
    counts["steps"] += 1
total /= n

== a total of detached losses
net = nn.Linear(3, 1)
total = torch.zeros(())
for x in [torch.randn(2, 3)] * 2:
    loss = net(x).mean()
    loss.backward()
    total += loss.detach()
    total /= 2

== bool and index tensors
w = torch.randn(4, requires_grad=True)
keep = torch.zeros(4, dtype=torch.bool)
keep[0] = True
keep |= w > 0
idx = torch.arange(4)
idx += 0
idx.clamp_(max=3)
ids = torch.randint(0, 4, (2,))
ids[ids == 3] = 0
y = w[idx] * keep
y.sum().backward()

== buffers filled before anything saves them
class Pos(nn.Module):
    def __init__(self, d=4, n=8):
        super().__init__()
        pe = torch.zeros(n, d)
        t = torch.arange(n).unsqueeze(1).float()
        div = torch.exp(torch.arange(0, d, 2).float() * -0.5)
        pe[:, 0::2] = torch.sin(t * div)
        pe[:, 1::2] = torch.cos(t * div)
        self.register_buffer("pe", pe)
    def forward(self, x):
        return x + self.pe[: x.size(0)]
>> run
Pos()(torch.randn(3, 4, requires_grad=True)).sum().backward()

== a dictionary of batches
w = torch.randn(3, requires_grad=True)
batch = {"x": torch.ones(3), "label": torch.tensor([1])}
batch["x"] = batch["x"] * 2
batch["label"] += 1
batch["n"] = 3
batch["n"] += 1
(w * batch["x"]).sum().backward()

== string formatting and paths
import os
name = "model"
name %= ()
path = os.path.join("a", name)
path += ".pt"
w = torch.randn(3, requires_grad=True)
(w * len(path)).sum().backward()

== data preparation
x = torch.rand(4, 3)
mean, std = x.mean(0), x.std(0)
x -= mean
x /= std + 1e-6
x.clamp_(-3, 3)
x[x != x] = 0
target = torch.zeros(4, 2)
target.scatter_(1, torch.tensor([[0], [1], [0], [1]]), 1.0)
target.mul_(0.9).add_(0.05)
net = nn.Linear(3, 2)
F.binary_cross_entropy_with_logits(net(x), target).backward()

== an object that only looks like a module
class Loader:
    def __init__(self, data):
        self.data = data
        self.index = 0
    def forward(self, n):
        self.index += n
        self.data[self.index % 2] += 1
        return self.data
w = torch.randn(3, requires_grad=True)
items = Loader([1, 2]).forward(1)
(w * items[0]).sum().backward()

== weights of a mixture, counted in a list of numbers
w = torch.randn(3, requires_grad=True)
outs = [w.exp(), w.tanh()]
weights = [0.5] * len(outs)
weights[0] += 0.1
total = 0
for k, out in zip(weights, outs):
    total += k * out
total.sum().backward()

== in-place operators on a total that starts as a number
w = torch.randn(3, requires_grad=True)
total = 0
for k in range(3):
    total += (w * k).square()
total.sum().backward()
-- the second round writes what exp saved
w = torch.randn(3, requires_grad=True)
total = 0
for k in range(2):
    total += w.exp()
    y = total.sigmoid()
    y += total  # <- IPG101
    total = y * 1
total.sum().backward()
"""

test_linter, test_pytorch = checked(PROGRAMS)
