"""What autograd is not told of: .data, NumPy, dlpack, storage, snapshots, repeated indices, buffers reused."""

from __future__ import annotations

from .programs import checked

PROGRAMS = """
== data of something saved
w = torch.ones(3, requires_grad=True)
h = w.exp()
h.data.add_(2)  # <- IPG201
h.sum().backward()
result = w.grad
--
w = torch.ones(3, requires_grad=True)
h = w.exp()
h = h.add(2)
h.sum().backward()
result = w.grad

== data of a parameter between forward and backward
lin = nn.Linear(2, 2, bias=False)
x = torch.ones(1, 2, requires_grad=True)
y = lin(x)
lin.weight.data.fill_(0)  # <- IPG201
y.sum().backward()
result = x.grad
--
lin = nn.Linear(2, 2, bias=False)
x = torch.ones(1, 2, requires_grad=True)
y = lin(x)
y.sum().backward()
lin.weight.data.fill_(0)
result = x.grad

== data of a parameter before forward, and of gradients
lin = nn.Linear(2, 2)
lin.weight.data.normal_()
lin.bias.data.zero_()
lin.bias.data = torch.ones(2)
lin(torch.ones(1, 2)).sum().backward()
lin.weight.grad.data.clamp_(-1, 1)
lin.weight.data.add_(lin.weight.grad.data, alpha=-0.1)
lin.weight.grad.data.zero_()

== the residual added through data loses its gradient
w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
h = w * 2
h.data.add_(v * 3)  # <- IPG201
h.sum().backward()
result = v.grad if v.grad is not None else torch.zeros(3)
--
w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
h = w * 2
h = h.add(v * 3)
h.sum().backward()
result = v.grad

== scattered under no_grad into something with history
w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
h = w * 2
with torch.no_grad():
    h.copy_(v * 5)  # <- IPG210
h.sum().backward()
result = v.grad if v.grad is not None else torch.zeros(3)
-- recorded
w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
h = w * 2
h.copy_(v * 5)
h.sum().backward()
result = v.grad
-- without history
v = torch.ones(3, requires_grad=True)
out = torch.zeros(3)
with torch.no_grad():
    out += v * 2
(out * v).sum().backward()

== a NumPy view of what was saved
w = torch.ones(3, requires_grad=True)
h = w.exp()
a = h.detach().numpy()
a[0] = 100  # <- IPG202
h.sum().backward()
result = w.grad
--
w = torch.ones(3, requires_grad=True)
h = w.exp()
a = h.detach().numpy().copy()
a[0] = 100
h.sum().backward()
result = w.grad

== the array that from_numpy shares
import numpy as np
data = np.ones(3, dtype=np.float32)
x = torch.from_numpy(data)
w = torch.ones(3, requires_grad=True)
y = (w * x).sum()
data *= 5  # <- IPG202
y.backward()
result = w.grad
--
import numpy as np
data = np.ones(3, dtype=np.float32)
x = torch.from_numpy(data.copy())
w = torch.ones(3, requires_grad=True)
y = (w * x).sum()
data *= 5
y.backward()
result = w.grad

== torch.tensor copies, as_tensor shares
import numpy as np
data = np.ones(3, dtype=np.float32)
w = torch.ones(3, requires_grad=True)
y = (w * torch.as_tensor(data)).sum()
data[:] = 7  # <- IPG202
y.backward()
result = w.grad
--
import numpy as np
data = np.ones(3, dtype=np.float32)
w = torch.ones(3, requires_grad=True)
y = (w * torch.tensor(data)).sum()
data[:] = 7
y.backward()
result = w.grad

== dlpack
w = torch.ones(3, requires_grad=True)
h = w.exp()
shared = torch.from_dlpack(h.detach())
shared.zero_()  # <- IPG202
h.sum().backward()
result = w.grad
--
w = torch.ones(3, requires_grad=True)
h = w.exp()
shared = torch.from_dlpack(h.detach().clone())
shared.zero_()
h.sum().backward()
result = w.grad

== storage
w = torch.ones(3, requires_grad=True)
h = w.exp()
h.untyped_storage().fill_(0)  # <- IPG202
h.sum().backward()
result = w.grad
--
w = torch.ones(3, requires_grad=True)
h = w.exp()
h.clone().untyped_storage().fill_(0)
h.sum().backward()
result = w.grad

== apply_ and map_ bump no version
w = torch.ones(3, requires_grad=True)
h = w.exp()
h.detach().apply_(lambda v: 0.0)  # <- IPG203
h.sum().backward()
result = w.grad
--
w = torch.ones(3, requires_grad=True)
h = w.exp()
h.detach().clone().apply_(lambda v: 0.0)
h.sum().backward()
result = w.grad

== batch norm in eval, then in training, then backward
bn = nn.BatchNorm1d(2)
x = torch.randn(4, 2) * 3
w = torch.ones(2, requires_grad=True)
bn.eval()
y = (bn(x * w) ** 2).sum()
bn.train()
bn(x)  # <- IPG203
y.backward()
result = w.grad
--
bn = nn.BatchNorm1d(2)
x = torch.randn(4, 2) * 3
w = torch.ones(2, requires_grad=True)
bn.eval()
y = (bn(x * w) ** 2).sum()
y.backward()
bn.train()
bn(x)
result = w.grad

== best weights are an alias
net = nn.Linear(1, 1, bias=False)
opt = torch.optim.SGD(net.parameters(), lr=0.5)
best = net.state_dict()
for _ in range(2):
    opt.zero_grad()
    net(torch.ones(1, 1)).sum().backward()
    opt.step()  # <- IPG207
net.load_state_dict(best)
result = net.weight.detach()
--
import copy
net = nn.Linear(1, 1, bias=False)
opt = torch.optim.SGD(net.parameters(), lr=0.5)
best = copy.deepcopy(net.state_dict())
for _ in range(2):
    opt.zero_grad()
    net(torch.ones(1, 1)).sum().backward()
    opt.step()
net.load_state_dict(best)
result = net.weight.detach()

== best weights of a model that is handed in are an alias
def fit(model, batches):
    opt = torch.optim.SGD(model.parameters(), lr=0.5)
    best, lowest = None, float("inf")
    for batch in batches:
        opt.zero_grad()
        loss = model(batch).sum()
        loss.backward()
        opt.step()  # <- IPG207
        if loss.item() < lowest:
            lowest, best = loss.item(), model.state_dict()
    model.load_state_dict(best)
    return model.weight.detach()
>> run
net = nn.Linear(1, 1, bias=False)
nn.init.ones_(net.weight)
result = fit(net, [torch.ones(1, 1), torch.full((1, 1), 3.0)])
--
import copy
def fit(model, batches):
    opt = torch.optim.SGD(model.parameters(), lr=0.5)
    best, lowest = None, float("inf")
    for batch in batches:
        opt.zero_grad()
        loss = model(batch).sum()
        loss.backward()
        opt.step()
        if loss.item() < lowest:
            lowest, best = loss.item(), copy.deepcopy(model.state_dict())
    model.load_state_dict(best)
    return model.weight.detach()
>> run
net = nn.Linear(1, 1, bias=False)
nn.init.ones_(net.weight)
result = fit(net, [torch.ones(1, 1), torch.full((1, 1), 3.0)])

== best weights of a model that somebody else makes and moves
class Trainer:
    def __init__(self, make):
        self.model = make(1).to("cpu")
    def fit(self, batches):
        opt = torch.optim.SGD(self.model.parameters(), lr=0.5)
        best = self.model.state_dict()
        for batch in batches:
            opt.zero_grad()
            self.model(batch).sum().backward()
            opt.step()  # <- IPG207
        self.model.load_state_dict(best)
        return self.model.weight.detach()
>> run
torch.manual_seed(0)
result = Trainer(lambda n: nn.Linear(n, n, bias=False)).fit([torch.ones(1, 1)])
--
import copy
class Trainer:
    def __init__(self, make):
        self.model = make(1).to("cpu")
    def fit(self, batches):
        opt = torch.optim.SGD(self.model.parameters(), lr=0.5)
        best = copy.deepcopy(self.model.state_dict())
        for batch in batches:
            opt.zero_grad()
            self.model(batch).sum().backward()
            opt.step()
        self.model.load_state_dict(best)
        return self.model.weight.detach()
>> run
torch.manual_seed(0)
result = Trainer(lambda n: nn.Linear(n, n, bias=False)).fit([torch.ones(1, 1)])

== a history of one tensor
w = torch.ones(3)
history = []
for t in range(3):
    history.append(w)
    w += 1  # <- IPG207
result = torch.stack(history)
(result * torch.ones(3, requires_grad=True)).sum().backward()
--
w = torch.ones(3)
history = []
for t in range(3):
    history.append(w.clone())
    w += 1
result = torch.stack(history)
(result * torch.ones(3, requires_grad=True)).sum().backward()

== the previous value is the present one
w = torch.ones(3, requires_grad=True)
x = torch.ones(3)
previous = x
x += 1  # <- IPG207
result = ((x - previous) * w).sum()
result.backward()
--
w = torch.ones(3, requires_grad=True)
x = torch.ones(3)
previous = x.clone()
x += 1
result = ((x - previous) * w).sum()
result.backward()

== repeated indices
w = torch.ones(4, requires_grad=True)
out = torch.zeros(2)
idx = torch.tensor([0, 1, 1, 1])
out[idx] += w  # <- IPG208
out.sum().backward()
result = out.detach()
--
w = torch.ones(4, requires_grad=True)
out = torch.zeros(2)
idx = torch.tensor([0, 1, 1, 1])
out.index_add_(0, idx, w)
out.sum().backward()
result = out.detach()

== indices that do not repeat
w = torch.ones(2, requires_grad=True)
out = torch.zeros(4)
out[torch.tensor([0, 2])] += w
out[torch.randperm(4)[:2]] += w
mask = torch.tensor([True, False, True, False])
out[mask] += w
out[torch.arange(2)] += w
out.sum().backward()

== a row of expanded memory
x = torch.zeros(1, 3)
rows = x.expand(4, 3)
rows[0] = 1  # <- IPG211
w = torch.ones(4, 3, requires_grad=True)
(rows * w).sum().backward()
result = rows
--
x = torch.zeros(1, 3)
rows = x.repeat(4, 1)
rows[0] = 1
w = torch.ones(4, 3, requires_grad=True)
(rows * w).sum().backward()
result = rows

== the loss through torch.tensor
w = torch.ones(3, requires_grad=True)
losses = [(w * k).sum() for k in range(1, 3)]
total = torch.tensor(losses, requires_grad=True).sum()  # <- IPG303
total.backward()
result = w.grad if w.grad is not None else torch.zeros(3)
--
w = torch.ones(3, requires_grad=True)
losses = [(w * k).sum() for k in range(1, 3)]
total = torch.stack(losses).sum()
total.backward()
result = w.grad

== a cached mask edited
from functools import lru_cache
@lru_cache
def mask(n):
    return torch.ones(n)
w = torch.ones(3, requires_grad=True)
m = mask(3)
m[0] = 0  # <- IPG207
(w * m).sum().backward()
result = mask(3)
--
from functools import lru_cache
@lru_cache
def mask(n):
    return torch.ones(n)
w = torch.ones(3, requires_grad=True)
m = mask(3).clone()
m[0] = 0
(w * m).sum().backward()
result = mask(3)

== a default argument keeps its tensor
def step(x, state=torch.zeros(3)):
    state += x  # <- IPG207
    return state
w = torch.ones(3, requires_grad=True)
step(torch.ones(3))
result = step(torch.ones(3)).clone()
(w * result).sum().backward()
--
def step(x, state=None):
    state = torch.zeros(3) if state is None else state
    state += x
    return state
w = torch.ones(3, requires_grad=True)
step(torch.ones(3))
result = step(torch.ones(3)).clone()
(w * result).sum().backward()

== fromkeys shares one tensor
totals = dict.fromkeys(["a", "b"], torch.zeros(1))
totals["a"] += 1  # <- IPG207
w = torch.ones(1, requires_grad=True)
(w * totals["b"]).sum().backward()
result = totals["b"]
--
totals = {k: torch.zeros(1) for k in ["a", "b"]}
totals["a"] += 1
w = torch.ones(1, requires_grad=True)
(w * totals["b"]).sum().backward()
result = totals["b"]

== the gradient kept, then clipped
w = torch.full((3,), 5.0, requires_grad=True)
w.square().sum().backward()
before = w.grad
nn.utils.clip_grad_norm_([w], 1.0)  # <- IPG207
result = before - w.grad
--
w = torch.full((3,), 5.0, requires_grad=True)
w.square().sum().backward()
before = w.grad.clone()
nn.utils.clip_grad_norm_([w], 1.0)
result = before - w.grad

== masked with minus infinity before a softmax
w = torch.randn(3, requires_grad=True)
scores = w * 2
scores.data.masked_fill_(torch.tensor([True, False, False]), float("-inf"))
scores.softmax(-1)[1].backward()

== an expanded view filled once is no hazard
x = torch.zeros(3)
y = x.expand(2, 3)
x.fill_(2)
w = torch.ones(2, 3, requires_grad=True)
(w * y).sum().backward()

== halves put aside as views, of a length that is not known, and read after the first was written
def rotate(t, c, s):
    n = t.shape[-1] // 2
    lo, hi = t[..., :n], t[..., n:]
    t[..., :n] = lo * c - hi * s  # <- IPG207
    t[..., n:] = lo * s + hi * c
    return t
w = torch.ones(4, requires_grad=True)
result = rotate(w * 2, 0.8, 0.6)
result.sum().backward()
--
def rotate(t, c, s):
    n = t.shape[-1] // 2
    lo, hi = t[..., :n], t[..., n:]
    new = lo * c - hi * s, lo * s + hi * c
    t[..., :n] = new[0]
    t[..., n:] = new[1]
    return t
w = torch.ones(4, requires_grad=True)
result = rotate(w * 2, 0.8, 0.6)
result.sum().backward()

== every second column, written by copy_
def rotate(t, c, s):
    even = t[:, 0::2]
    odd = t[:, 1::2]
    t[:, 0::2].copy_(even * c - odd * s)  # <- IPG207
    t[:, 1::2].copy_(even * s + odd * c)
    return t
w = torch.ones(2, 4, requires_grad=True)
result = rotate(w * 2, 0.8, 0.6)
result.sum().backward()
--
def rotate(t, c, s):
    even = t[:, 0::2].clone()
    odd = t[:, 1::2]
    t[:, 0::2].copy_(even * c - odd * s)
    t[:, 1::2].copy_(even * s + odd * c)
    return t
w = torch.ones(2, 4, requires_grad=True)
result = rotate(w * 2, 0.8, 0.6)
result.sum().backward()
--
def shift(state, x, k):
    old = state[:, k:]
    state[:, :k] = x
    return old.sum() + state[:, :k].sum()
result = shift(torch.zeros(2, 4), torch.ones(2, 2), 2)

== contiguous() gives the tensor itself
def smooth(signal):
    out = signal.contiguous()
    for i in range(1, len(out)):
        out[i].mul_(0.5).add_(out[i - 1], alpha=0.5)  # <- IPG212
    return out
batch = {"x": torch.arange(4.0)}
lin = nn.Linear(4, 1)
result = smooth(batch["x"]), batch["x"] * 1
(lin(result[0]) - batch["x"]).sum().backward()
--
def smooth(signal):
    out = signal.clone()
    for i in range(1, len(out)):
        out[i].mul_(0.5).add_(out[i - 1], alpha=0.5)
    return out
batch = {"x": torch.arange(4.0)}
lin = nn.Linear(4, 1)
result = smooth(batch["x"]), batch["x"] * 1
(lin(result[0]) - batch["x"]).sum().backward()
--
def centred(x):
    z = x.t().contiguous()
    z -= z.mean(0)
    return z
def doubled(x):
    x = x.contiguous()
    x.mul_(2)
    return x.contiguous().view(-1)
def summed(x):
    out = x.contiguous()
    return out.view(-1).sum() + x.sum()
x = torch.arange(6.0).view(2, 3)
result = centred(x), x * 1, doubled(torch.ones(2, 3)), summed(x)

== an alias of an alias of the parameters
net = nn.Linear(2, 1)
fast = [p.detach().requires_grad_() for p in net.parameters()]
for _ in range(2):
    grads = torch.autograd.grad((fast[0].sum() + fast[1].sum()) ** 2, fast)
    with torch.no_grad():
        for w, g in zip(fast, grads):
            w -= 0.1 * g  # <- IPG207
found = [w.detach() for w in fast]
result = sum((p - w).pow(2).sum() for p, w in zip(net.parameters(), found))
result.backward()
--
net = nn.Linear(2, 1)
fast = [p.detach().clone().requires_grad_() for p in net.parameters()]
for _ in range(2):
    grads = torch.autograd.grad((fast[0].sum() + fast[1].sum()) ** 2, fast)
    with torch.no_grad():
        for w, g in zip(fast, grads):
            w -= 0.1 * g
found = [w.detach() for w in fast]
result = sum((p - w).pow(2).sum() for p, w in zip(net.parameters(), found))
result.backward()

== one buffer for all that is packed
class Offload(torch.autograd.graph.saved_tensors_hooks):
    def __init__(self):
        self.buf = torch.empty(3)
        super().__init__(self.pack, lambda t: t)
    def pack(self, t):
        self.buf.copy_(t)  # <- IPG213
        return self.buf
w = torch.arange(3.0, requires_grad=True)
with Offload():
    loss = w.sin().exp().sum()
loss.backward()
result = w.grad
--
class Offload(torch.autograd.graph.saved_tensors_hooks):
    def __init__(self):
        self.kept, self.count = {}, 0
        super().__init__(self.pack, lambda key: self.kept[key])
    def pack(self, t):
        self.count += 1
        if self.count not in self.kept:
            self.kept[self.count] = torch.empty(3)
        self.kept[self.count].copy_(t)
        return self.count
w = torch.arange(3.0, requires_grad=True)
with Offload():
    loss = w.sin().exp().sum()
loss.backward()
result = w.grad
--
class Slots:
    def __init__(self, n):
        self.slots, self.at = [torch.empty(3) for _ in range(n)], 0
    def pack(self, t):
        if t.dim() != 1:
            return t.clone()
        slot = self.slots[self.at]
        self.at += 1
        slot.copy_(t)
        return slot
w = torch.arange(3.0, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(Slots(6).pack, lambda t: t):
    loss = w.sin().exp().sum()
loss.backward()
result = w.grad

== cells that points fall into
pts = torch.tensor([0.1, 0.2, 0.9])
lin = nn.Linear(1, 2)
feats = lin(pts[:, None])
cells = (pts * 4).floor().long().clamp_(0, 3)
grid = torch.zeros(4, 2)
grid.scatter_(0, cells[:, None].expand(-1, 2), feats)  # <- IPG208
grid.sum().backward()
result = lin.bias.grad
--
pts = torch.tensor([0.1, 0.2, 0.9])
lin = nn.Linear(1, 2)
feats = lin(pts[:, None])
cells = (pts * 4).floor().long().clamp_(0, 3)
grid = torch.zeros(4, 2)
grid.scatter_reduce_(0, cells[:, None].expand(-1, 2), feats, "mean", include_self=False)
grid.sum().backward()
result = lin.bias.grad
--
pts = torch.tensor([0.1, 0.2, 0.9])
lin = nn.Linear(1, 2)
feats = lin(pts[:, None])
bins = (pts * 2).long()
rows = torch.zeros(3, 2)
rows[torch.arange(3), bins] += 1
rows.scatter_(1, bins[:, None], feats[:, :1])
picked = (torch.arange(2) * 1.5).long()
rows.scatter_(0, picked[:, None].expand(-1, 2), feats[:2])
rows.sum().backward()
result = lin.bias.grad

== cells that points fall into, counted
pts = torch.tensor([0.1, 0.2, 0.9])
cells = (pts * 4).int()
counts = torch.zeros(4)
counts[cells] += 1  # <- IPG208
result = counts
w = torch.ones(4, requires_grad=True)
(w * counts).sum().backward()
--
pts = torch.tensor([0.1, 0.2, 0.9])
cells = (pts * 4).int()
counts = torch.zeros(4)
counts.index_add_(0, cells, torch.ones(3))
result = counts
w = torch.ones(4, requires_grad=True)
(w * counts).sum().backward()

== one observation, kept again and again, and sampled
import random
class World:
    def __init__(self):
        self.place = torch.zeros(2)
    def move(self, by):
        self.place += by  # <- IPG207
        return self.place, 1.0
def walk(world):
    kept = []
    for _ in range(4):
        place, reward = world.move(torch.ones(2))
        kept.append((place, reward))
    return kept
places, rewards = zip(*random.sample(walk(World()), 3))
lin = nn.Linear(2, 1)
result = torch.stack(places).sum()
lin(torch.stack(places)).sum().backward()
--
import random
class World:
    def __init__(self):
        self.place = torch.zeros(2)
    def move(self, by):
        self.place = self.place + by
        return self.place, 1.0
def walk(world):
    kept = []
    for _ in range(4):
        place, reward = world.move(torch.ones(2))
        kept.append((place, reward))
    return kept
places, rewards = zip(*random.sample(walk(World()), 3))
lin = nn.Linear(2, 1)
result = torch.stack(places).sum()
lin(torch.stack(places)).sum().backward()

== a pre-hook writes the input, which another module reads
def noise(module, args):
    args[0].add_(1)  # <- IPG212
def step(net, other, x):
    with torch.no_grad():
        net(x)
        return other(x)
net, other = nn.Identity(), nn.Sigmoid()
net.register_forward_pre_hook(noise)
result = step(net, other, torch.zeros(2))
w = torch.ones(2, requires_grad=True)
(w * result).sum().backward()
--
def noise(module, args):
    return (args[0] + 1,)
def step(net, other, x):
    with torch.no_grad():
        net(x)
        return other(x)
net, other = nn.Identity(), nn.Sigmoid()
net.register_forward_pre_hook(noise)
result = step(net, other, torch.zeros(2))
w = torch.ones(2, requires_grad=True)
(w * result).sum().backward()
--
def noise(module, args):
    args[0].add_(1)
def step(net, other, x):
    return other(net(x))
net, other = nn.Identity(), nn.Sigmoid()
net.register_forward_pre_hook(noise)
result = step(net, other, torch.zeros(2))
w = torch.ones(2, requires_grad=True)
(w * result).sum().backward()
"""

test_linter, test_pytorch = checked(PROGRAMS)
