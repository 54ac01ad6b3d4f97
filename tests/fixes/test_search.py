"""Fixes that stand elsewhere than the write. All are for --unsafe-fixes, and are kept because checking finds less."""

from __future__ import annotations

import codecs
import difflib
import re

import pytest

from inplace_guard.check.fixing import fix_bytes
from inplace_guard.config import Settings

HEAD = "import copy\nimport torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n"
# Each program as the body of a diff.
PROGRAMS = """
== a snapshot of detached parameters
 net = nn.Linear(3, 2)
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
-old = [p.detach() for p in net.parameters()]
+old = [p.detach().clone() for p in net.parameters()]
 loss = net(torch.ones(4, 3)).sum()
 loss.backward()
 opt.step()
 print(sum((p - o).abs().sum() for p, o in zip(net.parameters(), old)))

== a state_dict kept as the best one
 net = nn.Linear(3, 2)
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
-best = net.state_dict()
+best = {name: value.clone() for name, value in net.state_dict().items()}
 net(torch.ones(4, 3)).sum().backward()
 opt.step()
 net.load_state_dict(best)

== rows swapped through views
 def shuffled(x):
     for i in range(len(x) - 1, 0, -1):
         j = i // 2
-        x[i], x[j] = x[j], x[i]
+        x[i], x[j] = x[j].clone(), x[i].clone()
     return x

 net = nn.Linear(2, 1)
 net(shuffled(torch.rand(4, 2))).sum().backward()

== a buffer that is written again before backward
 class Scale(nn.Module):
     def __init__(self):
         super().__init__()
         self.lin = nn.Linear(3, 3)
         self.register_buffer("level", torch.ones(3))

     def forward(self, x):
         with torch.no_grad():
             for b in self.buffers():
                 b.mul_(0.5)
-        return self.lin(x) * self.level
+        return self.lin(x) * self.level.clone()

 net = Scale()
 (net(torch.ones(2, 3)) - net(torch.zeros(2, 3))).sum().backward()

== a view of an argument that is returned
 def paste(scene, patch):
+    scene = scene.clone()
     view = scene[1:3]
     view.copy_(patch)
     return scene

 paste(torch.zeros(4, requires_grad=True), torch.ones(2)).sum().backward()

== the state of the round before
 cell = nn.GRUCell(2, 3)
 opt = torch.optim.SGD(cell.parameters(), lr=0.1)
 h = torch.zeros(1, 3)
 for _ in range(3):
-    h = cell(torch.ones(1, 2), h)
+    h = cell(torch.ones(1, 2), h.detach())
     opt.zero_grad()
     h.sum().backward(retain_graph=True)
     opt.step()

== one forward for two losses
 def train(G, D, opt_G, opt_D, z):
     fake = G(z)
     score = D(fake)
-    g_loss = F.softplus(-score).mean()
     opt_D.zero_grad()
     F.softplus(score).mean().backward(retain_graph=True)
     opt_D.step()
+    score = D(fake)
+    g_loss = F.softplus(-score).mean()
     opt_G.zero_grad()
     g_loss.backward()
     opt_G.step()

 G, D = nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
 train(G, D, torch.optim.SGD(G.parameters(), 0.1), torch.optim.SGD(D.parameters(), 0.1), torch.ones(5, 2))

== weights that are swapped between a loss and its backward
 def swap(net, others):
     for p, o in zip(net.parameters(), others):
         p.data.copy_(o)

 net = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))
 others = [torch.zeros_like(p) for p in net.parameters()]
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     loss = net(torch.ones(4, 3)).sum()
+    opt.zero_grad()
+    loss.backward()
     if others:
         swap(net, others)
-    opt.zero_grad()
-    loss.backward()
     opt.step()

== a custom Function that marks nothing as dirty
 class Clamp(torch.autograd.Function):
     @staticmethod
     def forward(ctx, x):
         ctx.save_for_backward(x.abs() < 1)
         x.clamp_(-1, 1)
+        ctx.mark_dirty(x)
         return x

     @staticmethod
     def backward(ctx, grad):
         return grad * ctx.saved_tensors[0]

 h = nn.Linear(3, 3)(torch.ones(2, 3))
 Clamp.apply(h)
 h.sum().backward()

== a custom Function that may not write its argument
 class Clamp(torch.autograd.Function):
     @staticmethod
     def forward(ctx, x):
         ctx.save_for_backward(x.abs() < 1)
+        x = x.clone()
         x.clamp_(-1, 1)
-        ctx.mark_dirty(x)
         return x

     @staticmethod
     def backward(ctx, grad):
         return grad * ctx.saved_tensors[0]

 w = torch.ones(3, requires_grad=True)
 Clamp.apply(w).sum().backward()

== a forward hook
 def push(module, args, output):
-    output.add_(1.0)
+    return output.add(1.0)

 net = nn.Sequential(nn.Linear(3, 3), nn.Tanh())
 net[1].register_forward_hook(push)
 net(torch.ones(2, 3)).sum().backward()

== a backward pre-hook
 def scale(module, grad_output):
-    grad_output[0].mul_(0.5)
+    return (grad_output[0].mul(0.5), *grad_output[1:])

 a, b = nn.Linear(3, 3), nn.Linear(3, 3)
 b.register_full_backward_pre_hook(scale)
 x = torch.ones(2, 3)
 (a(x) + b(x)).sum().backward()

== a module with statistics in a checkpoint
 from torch.utils.checkpoint import checkpoint
 body = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))
 x = torch.rand(4, 3, requires_grad=True)
-checkpoint(body, x, use_reentrant=False).sum().backward()
+body(x).sum().backward()

== inference mode
-@torch.inference_mode()
+@torch.no_grad()
 def features(net, x):
     return net(x)

 head = nn.Linear(3, 1)
 head(features(nn.Linear(3, 3), torch.ones(2, 3))).sum().backward()

== grad mode is off around a mask
 a, b = nn.Linear(3, 3), nn.Linear(3, 1)
 h = a(torch.ones(2, 3))
-with torch.no_grad():
-    h[:, 0] = 0.0
+h[:, 0] = 0.0
 b(h).sum().backward()

== losses through torch.tensor
 net = nn.Linear(3, 1)
 losses = [net(torch.ones(2, 3)).mean() for _ in range(2)]
-total = torch.tensor(losses, requires_grad=True).sum()
+total = torch.stack(losses).sum()
 total.backward()

== an index that repeats
 net = nn.Linear(3, 2)
 index = torch.tensor([0, 0, 1])
 out = torch.zeros(2, 2)
-out[index] += net(torch.ones(3, 3))
+out.index_add_(0, index, net(torch.ones(3, 3)))
 out.sum().backward()

== a second backward
 net, a, b = nn.Linear(3, 3), nn.Linear(3, 1), nn.Linear(3, 1)
 h = torch.tanh(net(torch.ones(2, 3)))
-a(h).sum().backward()
+a(h).sum().backward(retain_graph=True)
 b(h).sum().backward()

== a result that a list holds too
 w = torch.ones(3, requires_grad=True)
-h = w.exp()
+h = w.exp().clone()
 kept = [h]
 h *= 2
 torch.cat(kept).sum().backward()

== an attribute that holds it too
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.lin = nn.Linear(3, 3)

     def forward(self, x):
-        h = torch.tanh(self.lin(x))
+        h = torch.tanh(self.lin(x)).clone()
         self.last = h
         h += 1
         return h

 net = Net()
 y = net(torch.ones(2, 3))
 (y.sum() + net.last.sum()).backward()

== a tensor that two objects may hold
 class Scaled(nn.Module):
     def __init__(self, level):
         super().__init__()
         self.lin, self.level = nn.Linear(3, 3), level

     def forward(self, x):
-        y = self.lin(x) * self.level
+        y = self.lin(x) * self.level.clone()
         self.level += 1
         return y

 level = torch.ones(3)
 Scaled(level)(Scaled(level)(torch.ones(2, 3))).sum().backward()

== a function that is called for its write
 def double(t):
     t.mul_(2)

 w = torch.ones(3, requires_grad=True)
-h = w.exp()
+h = w.exp().clone()
 double(h)
 h.sum().backward()

== what a dict holds
 w = torch.ones(2, 3, requires_grad=True)
-feats = {"a": w[0].sigmoid(), "b": w[1].sigmoid()}
+feats = {"a": w[0].sigmoid().clone(), "b": w[1].sigmoid().clone()}
 for name, value in feats.items():
     value.sub_(0.5)
 (feats["a"] * feats["b"]).sum().backward()

== an argument that is written twice
 def normalised(batch):
+    batch = batch.clone()
     batch -= batch.mean(0)
     batch /= batch.std(0)
     return batch

 net = nn.Linear(3, 3)
 data = torch.rand(4, 3)
 (net(normalised(data)) - data).square().sum().backward()

== weights that are clipped between a loss and its backward
 net = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 loss = net(torch.ones(4, 3)).sum()
-for p in net.parameters():
-    p.data.clamp_(-0.1, 0.1)
 opt.zero_grad()
 loss.backward()
 opt.step()
+for p in net.parameters():
+    p.data.clamp_(-0.1, 0.1)

== an ascent between two backwards through one graph
 class Ascent:
     def __init__(self, net):
         self.net = net

     def climb(self):
         for p in self.net.parameters():
             p.data.add_(p.grad)
             p.grad = None

 net = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))
 ascent = Ascent(net)
 loss = net(torch.ones(2, 3)).sum()
 loss.backward(retain_graph=True)
 ascent.climb()
+loss = net(torch.ones(2, 3)).sum()
 loss.backward()

== an observation that is kept in records
 from collections import deque

 class Env:
     def __init__(self):
         self.obs = torch.zeros(3)

     def reset(self):
         self.obs.zero_()
-        return self.obs
+        return self.obs.clone()

     def step(self, action):
         self.obs.mul_(0.9)
         self.obs.add_(action)
-        return self.obs, 1.0
+        return self.obs.clone(), 1.0

 class Replay:
     def __init__(self):
         self.data = deque()

     def add(self, obs, reward):
         self.data.append((obs, reward))

     def sample(self):
         obs, rewards = zip(*list(self.data))
         return torch.stack(obs)

 env, replay, net = Env(), Replay(), nn.Linear(3, 1)
 replay.add(env.reset(), 0.0)
 for _ in range(3):
     replay.add(*env.step(torch.ones(3)))
 net(replay.sample()).sum().backward()

== fast weights that are leaves of their own
 net = nn.Linear(3, 1)
-fast = {n: p.detach().requires_grad_() for n, p in net.named_parameters()}
+fast = {n: p.detach().clone().requires_grad_() for n, p in net.named_parameters()}
 loss = torch.func.functional_call(net, fast, torch.ones(2, 3)).sum()
 grads = torch.autograd.grad(loss, tuple(fast.values()))
 with torch.no_grad():
     for w, g in zip(fast.values(), grads):
         w.sub_(g)
 prox = sum((p - fast[n]).square().sum() for n, p in net.named_parameters())
 prox.backward()

== weights that are normalised through their storage
 class Rows(nn.Module):
     def __init__(self):
         super().__init__()
         self.weight = nn.Parameter(torch.ones(2, 3))

     def forward(self, x):
         return (x @ self.weight.t()).square()

     def normalise(self):
         raw = torch.empty(0).set_(self.weight.untyped_storage(), 0, self.weight.shape)
         raw.div_(raw.norm())

 rows = Rows()
 opt = torch.optim.SGD(rows.parameters(), lr=0.1)
 x = torch.ones(4, 3, requires_grad=True)
 loss = rows(x).sum()
-rows.normalise()
 opt.zero_grad()
 loss.backward()
 opt.step()
+rows.normalise()

== a parameter filled with a computed bound
 class Codes(nn.Module):
     def __init__(self, n):
         super().__init__()
         self.codes = nn.Parameter(torch.empty(n, 3))
-        self.codes.uniform_(-1.0 / n, 1.0 / n)
+        with torch.no_grad():
+            self.codes.uniform_(-1.0 / n, 1.0 / n)

 Codes(4)
"""


def programs() -> list[object]:
    found: list[object] = []
    for block in re.split(r"^== ", PROGRAMS, flags=re.MULTILINE)[1:]:
        title, _, diff = block.partition("\n")
        lines = [line or " " for line in diff.strip("\n").split("\n")]
        before = HEAD + "".join(f"{line[1:]}\n" for line in lines if line[0] in " -")
        after = HEAD + "".join(f"{line[1:]}\n" for line in lines if line[0] in " +")
        found.append(pytest.param(before, after, id=title.replace(" ", "-")))
    return found


@pytest.mark.parametrize(("before", "after"), programs())
def test_programs(before: str, after: str) -> None:
    safe = fix_bytes(before.encode(), "net.py", Settings(), unsafe=False)
    assert not safe.changed
    assert safe.report.findings
    for finding in safe.report.findings:
        assert finding.fix is not None
        assert finding.fix["reason"]
    file = fix_bytes(before.encode(), "net.py", Settings(), unsafe=True)
    diff = "".join(difflib.unified_diff(before.splitlines(True), file.after.decode().splitlines(True)))
    assert file.after.decode() == after, diff or [finding.fix for finding in file.report.findings]
    assert not file.report.findings
    exec(compile(after, "net.py", "exec"), {"__name__": "fixed"})


@pytest.mark.parametrize(("before", "after"), programs())
def test_other_bytes_stay(before: str, after: str) -> None:
    """With a byte-order mark, tabs, form feeds, and lines that end as on Windows."""

    def foreign(text: str) -> bytes:
        text = text.replace("    ", "\t").replace(
            "torch.nn.functional as F\n", "torch.nn.functional as F  # \xe9\n\f\n", 1
        )
        return codecs.BOM_UTF8 + text.replace("\n", "\r\n").encode()

    assert fix_bytes(foreign(before), "net.py", Settings(), unsafe=True).after == foreign(after)


def test_what_nothing_helps_says_why() -> None:
    source = HEAD + (
        "class Head(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.net = nn.Linear(3, 3)\n\n"
        "    def forward(self, x):\n        y = self.net(x).tanh()\n        with torch.no_grad():\n"
        "            for p in self.net.parameters():\n                p.mul_(0.5)\n        return y\n\n\n"
        "net = Head()\nnet(net(torch.ones(2, 3))).sum().backward()\n"
    )
    file = fix_bytes(source.encode(), "net.py", Settings(), unsafe=True)
    assert not file.changed
    for finding in file.report.findings:
        assert finding.fix is not None
        assert finding.fix["applicability"] == "none"
        assert "no history" in finding.fix["reason"]
    assert file.report.findings


def test_what_a_hook_has_kept_is_left_to_a_person() -> None:
    """A copy behind the module would leave the hook with values that are not written any more."""
    source = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin, self.act = nn.Linear(3, 3), nn.Tanh()

    def forward(self, x):
        h = self.act(self.lin(x))
        h += 1
        return h


kept = []
net = Net()
net.act.register_forward_hook(lambda module, args, output: kept.append(output))
net(torch.ones(2, 3)).sum().backward()
"""
    file = fix_bytes(source.encode(), "net.py", Settings(), unsafe=True)
    assert not file.changed
    (finding,) = file.report.findings
    assert finding.fix is not None
    assert "may keep it" in finding.fix["reason"]


def test_what_made_the_written_tensor_is_not_run_again() -> None:
    """That would lose the write."""
    source = HEAD + (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.lin, self.act = nn.Linear(3, 3), nn.Hardtanh(-1, 1, True)\n\n"
        "    def forward(self, x):\n        h = torch.sigmoid(self.lin(x))\n        self.act(h)\n"
        "        return h.square()\n\n\nNet()(torch.ones(2, 3)).sum().backward()\n"
    )
    file = fix_bytes(source.encode(), "net.py", Settings(), unsafe=True)
    assert file.after.decode() == source.replace("self.lin(x))", "self.lin(x)).clone()")
