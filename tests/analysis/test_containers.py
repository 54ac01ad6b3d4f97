"""Tensors kept in lists, dicts, tuples, named tuples, dataclasses and other objects."""

from __future__ import annotations

from .programs import checked

PROGRAMS = """
== appended, then written
w = torch.randn(3, requires_grad=True)
h = w * 1
outs = []
for t in range(2):
    outs.append(h.sin())
    h += 1  # <- IPG101
torch.stack(outs).sum().backward()
--
w = torch.randn(3, requires_grad=True)
h = w * 1
outs = []
for t in range(2):
    outs.append(h.sin())
    h = h + 1
torch.stack(outs).sum().backward()

== items of a list
w = torch.randn(3, requires_grad=True)
feats = [w.exp(), w + 1]
feats[0] += 1  # <- IPG101
sum(f.sum() for f in feats).backward()
--
w = torch.randn(3, requires_grad=True)
feats = [w.exp(), w + 1]
feats[1] += 1
sum(f.sum() for f in feats).backward()

== pyramid top-down
w = torch.randn(3, requires_grad=True)
feats = [w + 1, w + 2, w + 3]
outs = [f.square() for f in feats]
for i in (2, 1):
    feats[i - 1] += feats[i]  # <- IPG101
(sum(o.sum() for o in outs) + feats[0].sum()).backward()
--
w = torch.randn(3, requires_grad=True)
feats = [w + 1, w + 2, w + 3]
for i in (2, 1):
    feats[i - 1] += feats[i]
outs = [f.square() for f in feats]
sum(o.sum() for o in outs).backward()

== an item of a list replaced is another tensor
w = torch.randn(3, requires_grad=True)
feats = [w.exp()]
feats[0] = feats[0] + 1
feats[0] += 1
feats[0].sum().backward()

== dicts merged by an operator
w = torch.randn(3, requires_grad=True)
acts = {"a": w.exp()}
acts |= {"b": w.tanh()}
acts["b"] += 1  # <- IPG101
(acts["a"] * acts["b"]).sum().backward()
--
w = torch.randn(3, requires_grad=True)
acts = {"a": w.exp()}
acts |= {"a": w * 2}
acts["a"] += 1
acts["a"].sum().backward()

== a dict made of two
def run(w):
    acts = {"a": w * 2} | {"b": w.tanh()}
    acts["b"].add_(1)  # <- IPG101
    return acts["a"] * acts["b"]
run(torch.randn(3, requires_grad=True)).sum().backward()
--
def run(w):
    acts = {"a": w.exp(), "b": w * 2} | {"a": w * 2}
    acts["a"].add_(1)
    return acts["a"] * acts["b"]
run(torch.randn(3, requires_grad=True)).sum().backward()

== values of a dict
w = torch.randn(3, requires_grad=True)
acts = {"a": w.tanh(), "b": w * 2}
acts["a"].mul_(2)  # <- IPG101
(acts["a"].sum() + acts["b"].sum()).backward()
--
w = torch.randn(3, requires_grad=True)
acts = {"a": w.tanh(), "b": w * 2}
acts["b"].mul_(2)
(acts["a"].sum() + acts["b"].sum()).backward()

== a loop over values
w = torch.randn(3, requires_grad=True)
acts = dict(a=w.tanh(), b=w.exp())
for name, value in acts.items():
    value /= 2  # <- IPG101
acts["a"].sum().backward()
--
w = torch.randn(3, requires_grad=True)
acts = dict(a=w.tanh(), b=w.exp())
for name, value in acts.items():
    acts[name] = value / 2
acts["a"].sum().backward()

== get and pop of a dict
w = torch.randn(3, requires_grad=True)
acts = {"a": w.tanh()}
a = acts.get("a")
b = acts.pop("a")
b.neg_()  # <- IPG101
a.sum().backward()
--
w = torch.randn(3, requires_grad=True)
acts = {"a": w.tanh()}
a = acts.pop("a")
b = a.neg()
b.neg_()
a.sum().backward()

== unpacked from a tuple
w = torch.randn(3, requires_grad=True)
def both(x):
    return x.exp(), x * 2
e, d = both(w)
e.add_(1)  # <- IPG101
(e.sum() + d.sum()).backward()
--
w = torch.randn(3, requires_grad=True)
def both(x):
    return x.exp(), x * 2
e, d = both(w)
d.add_(1)
(e.sum() + d.sum()).backward()

== starred unpacking
w = torch.randn(3, requires_grad=True)
first, *rest = [w + 1, w.exp(), w + 2]
rest[0].add_(1)  # <- IPG101
(first.sum() + rest[0].sum()).backward()
--
w = torch.randn(3, requires_grad=True)
first, *rest = [w + 1, w.exp(), w + 2]
rest[1].add_(1)
first.add_(1)
(first.sum() + rest[1].sum()).backward()

== values and indices of max
w = torch.randn(2, 3, requires_grad=True)
values, indices = (w * 2).max(dim=1)
indices.zero_()  # <- IPG101
values.sum().backward()
--
w = torch.randn(2, 3, requires_grad=True)
values, indices = (w * 2).max(dim=1)
values.zero_()
values.sum().backward()

== topk through its named result
w = torch.randn(2, 3, requires_grad=True)
top = (w * 2).topk(2)
top.indices.add_(1)  # <- IPG101
top.values.sum().backward()
--
w = torch.randn(2, 3, requires_grad=True)
top = (w * 2).topk(2)
top.values.add_(1)
top.values.sum().backward()

== a namedtuple
from collections import namedtuple
Pair = namedtuple("Pair", "act lin")
w = torch.randn(3, requires_grad=True)
p = Pair(w.sigmoid(), w * 3)
p.act.sub_(0.5)  # <- IPG101
(p.act.sum() + p.lin.sum()).backward()
--
from collections import namedtuple
Pair = namedtuple("Pair", "act lin")
w = torch.randn(3, requires_grad=True)
p = Pair(w.sigmoid(), w * 3)
p.lin.sub_(0.5)
(p.act.sum() + p.lin.sum()).backward()

== a typed named tuple, unpacked
from typing import NamedTuple
class Out(NamedTuple):
    act: torch.Tensor
    lin: torch.Tensor
w = torch.randn(3, requires_grad=True)
act, lin = Out(w.sigmoid(), w * 3)
act -= 0.5  # <- IPG101
(act.sum() + lin.sum()).backward()
--
from typing import NamedTuple
class Out(NamedTuple):
    act: torch.Tensor
    lin: torch.Tensor
w = torch.randn(3, requires_grad=True)
act, lin = Out(w.sigmoid(), w * 3)
lin -= 0.5
(act.sum() + lin.sum()).backward()

== a dataclass
from dataclasses import dataclass
@dataclass
class State:
    h: torch.Tensor
    step: int = 0
w = torch.randn(3, requires_grad=True)
s = State(torch.zeros(3))
for t in range(2):
    s.h += torch.tanh(s.h * w)  # <- IPG101
    s.step += 1
s.h.sum().backward()
--
from dataclasses import dataclass
@dataclass
class State:
    h: torch.Tensor
    step: int = 0
w = torch.randn(3, requires_grad=True)
s = State(torch.zeros(3))
for t in range(2):
    s.h = s.h + torch.tanh(s.h * w)
    s.step += 1
s.h.sum().backward()

== a plain class
class Box:
    def __init__(self, value):
        self.value = value
w = torch.randn(3, requires_grad=True)
box = Box(w.exp())
box.value += 1  # <- IPG101
box.value.sum().backward()
--
class Box:
    def __init__(self, value):
        self.value = value
w = torch.randn(3, requires_grad=True)
box = Box(w.exp())
box.value = box.value + 1
box.value += 1
box.value.sum().backward()

== zip and enumerate
w = torch.randn(3, requires_grad=True)
acts = [w.exp(), w.tanh()]
scales = [2.0, 3.0]
for i, (a, s) in enumerate(zip(acts, scales)):
    a *= s  # <- IPG101
sum(a.sum() for a in acts).backward()
--
w = torch.randn(3, requires_grad=True)
acts = [w.exp(), w.tanh()]
scales = [2.0, 3.0]
for i, (a, s) in enumerate(zip(acts, scales)):
    acts[i] = a * s
sum(a.sum() for a in acts).backward()

== list of n times one tensor
w = torch.randn(3, requires_grad=True)
h = w.exp()
slots = [h] * 2
slots[1].add_(1)  # <- IPG101
slots[0].sum().backward()
--
w = torch.randn(3, requires_grad=True)
h = w.exp()
slots = [h.clone() for _ in range(2)]
slots[1].add_(1)
(slots[0].sum() + slots[1].sum()).backward()

== adding to a list is no write to a tensor
w = torch.randn(3, requires_grad=True)
outs = [w.exp()]
outs += [w.tanh()]
outs += outs
shape = (1,)
shape += (2,)
torch.stack(outs).sum().backward()

== a shallow copy shares the tensors
import copy
w = torch.randn(3, requires_grad=True)
acts = {"a": w.exp()}
mine = copy.copy(acts)
mine["a"].zero_()  # <- IPG101
acts["a"].sum().backward()
--
import copy
w = torch.randn(3, requires_grad=True)
acts = {"a": w.detach().exp()}
mine = copy.deepcopy(acts)
mine["a"].zero_()
(w * acts["a"]).sum().backward()

== sorted, reversed, slices of lists
w = torch.randn(3, requires_grad=True)
acts = [w.exp(), w.tanh(), w + 1]
for a in reversed(acts[:2]):
    a.add_(1)  # <- IPG101
acts[0].sum().backward()
--
w = torch.randn(3, requires_grad=True)
acts = [w.exp(), w.tanh(), w + 1]
for a in acts[2:]:
    a.add_(1)
(acts[0].sum() + acts[2].sum()).backward()

== a set-default cache of tensors
cache = {}
w = torch.randn(3, requires_grad=True)
def act(key):
    if key not in cache:
        cache[key] = w.sigmoid()
    return cache[key]
first = act("k")
act("k").mul_(2)  # <- IPG101
first.sum().backward()
--
cache = {}
w = torch.randn(3, requires_grad=True)
def act(key):
    if key not in cache:
        cache[key] = w.sigmoid()
    return cache[key]
first = act("k")
act("k").mul(2).add_(1)
first.sum().backward()

== deque
from collections import deque
w = torch.randn(3, requires_grad=True)
queue = deque(maxlen=4)
queue.append(w.exp())
head = queue.popleft()
head += 1  # <- IPG101
head.sum().backward()
--
from collections import deque
w = torch.randn(3, requires_grad=True)
queue = deque(maxlen=4)
queue.append(w.exp() + 0)
head = queue.popleft()
head += 1
head.sum().backward()

== nested containers
w = torch.randn(3, requires_grad=True)
state = {"layers": [{"k": w.exp(), "v": w * 2}]}
state["layers"][0]["k"].add_(1)  # <- IPG101
state["layers"][0]["k"].sum().backward()
--
w = torch.randn(3, requires_grad=True)
state = {"layers": [{"k": w.exp(), "v": w * 2}]}
state["layers"][0]["v"].add_(1)
(state["layers"][0]["k"].sum() + state["layers"][0]["v"].sum()).backward()
"""

test_linter, test_pytorch = checked(PROGRAMS)
