"""Who else may see the write, inside one function."""

from __future__ import annotations

import pytest

from .marked import Case, cases, check, fix


@cases(
    """
== another name for it ?? `y` may be the same tensor and is read afterwards
def f(x):
    y = h = x.exp()
    h += 1  # <-
    return h, y
--
def f(x):
    y = h = x.exp()
    h = h + 1
    return h, y

== another name that is not read
def f(x):
    h = x.exp()
    y = h
    z = y * 2
    h += 1  # <-
    return h, z
--
def f(x):
    h = x.exp()
    y = h
    z = y * 2
    h = h + 1
    return h, z

== another name that gets another value first
def f(x):
    h = x.exp()
    y = h
    h += 1  # <-
    y = x.sin()
    return h, y
--
def f(x):
    h = x.exp()
    y = h
    h = h + 1
    y = x.sin()
    return h, y

== a view of it ?? `flat` may be the same tensor and is read afterwards
def f(x):
    h = x.exp()
    flat = h.view(-1)
    h += 1  # <-
    return flat.sum() + h.sum()
--
def f(x):
    h = x.exp()
    flat = h.view(-1)
    h = h + 1
    return flat.sum() + h.sum()

== the other views of one call
def f(x):
    q, k, v = x.exp().unbind(0)
    q *= 0.5  # <-
    return q @ k @ v
--
def f(x):
    q, k, v = x.exp().unbind(0)
    q = q * 0.5
    return q @ k @ v

== items of the result of a split
def f(x):
    parts = torch.hsplit(x.exp(), 3)
    carry, gate = parts[0], parts[1]
    carry += gate  # <-
    return carry + gate
--
def f(x):
    parts = torch.hsplit(x.exp(), 3)
    carry, gate = parts[0], parts[1]
    carry = carry + gate
    return carry + gate

== the two halves of one cut
def f(x, k):
    p = x.exp()
    left, right = p[..., :k], p[..., k:]
    left /= 2  # <-
    return left.sum() * right
--
def f(x, k):
    p = x.exp()
    left, right = p[..., :k], p[..., k:]
    left = left / 2
    return left.sum() * right

== halves of two cuts ?? `right` may be the same tensor and is read afterwards
def f(x, j, k):
    p = x.exp()
    left, right = p[..., :j], p[..., k:]
    left /= 2  # <-
    return left.sum() * right
--
def f(x, j, k):
    p = x.exp()
    left, right = p[..., :j], p[..., k:]
    left = left / 2
    return left.sum() * right

== it is in a list ?? `hs` may be the same tensor and is read afterwards
def f(x):
    hs = []
    h = x.exp()
    hs.append(h)
    h += 1  # <-
    return hs, h
--
def f(x):
    hs = []
    h = x.exp()
    hs.append(h)
    h = h + 1
    return hs, h

== perhaps a new tensor each round, put into a list afterwards ?? `x` may be the same tensor and is read afterwards
def f(x, layers):
    hs = []
    for layer in layers:
        h = layer(x)
        h += 1  # <-
        hs.append(h)
    return hs
--
def f(x, layers):
    hs = []
    for layer in layers:
        h = layer(x)
        h = h + 1
        hs.append(h)
    return hs

== the same tensor each round, put into a list ?? `hs` may be the same tensor and is read afterwards
def f(x, n):
    hs = []
    h = x.exp()
    for _ in range(n):
        h += 1  # <-
        hs.append(h)
    return hs
--
def f(x, n):
    hs = []
    h = x.exp()
    for _ in range(n):
        h = h + 1
        hs.append(h)
    return hs

== a list that holds it twice ?? comes from code that is not seen here
def f(x):
    hs = [x.exp()] * 3
    hs[0] += 1  # <-
    return hs
--
def f(x):
    hs = [x.exp()] * 3
    hs[0] = hs[0] + 1
    return hs

== the items that a loop is still to give ?? the loop on line N may come to the same tensor again
def f(x):
    a, b = x.exp(), x.sin()
    total = 0
    for t in [a, b]:
        total = total + t
        b += 1  # <-
    return total + b
--
def f(x):
    a, b = x.exp(), x.sin()
    total = 0
    for t in [a, b]:
        total = total + t
        b = b + 1
    return total + b

== it is kept on self ?? `self.last` may be the same tensor and is read afterwards
class Net(nn.Module):
    def forward(self, x):
        h = x.exp()
        self.last = h
        h += 1  # <-
        return h
--
class Net(nn.Module):
    def forward(self, x):
        h = x.exp()
        self.last = h
        h = h + 1
        return h

== it was taken from self ?? `self.cache` may be the same tensor
class Net(nn.Module):
    def forward(self, x):
        h = self.cache
        h += x  # <-
        return h
--
class Net(nn.Module):
    def forward(self, x):
        h = self.cache
        h = h + x
        return h

== it was handed to somebody ?? handed to code that may keep it
def f(x, log):
    h = x.exp()
    log.record(h)
    h += 1  # <-
    return h
--
def f(x, log):
    h = x.exp()
    log.record(h)
    h = h + 1
    return h

== printed
def f(x):
    h = x.exp()
    print(h)
    h += 1  # <-
    return h
--
def f(x):
    h = x.exp()
    print(h)
    h = h + 1
    return h

== yielded ?? yielded
def f(x):
    h = x.exp()
    yield h
    h += 1  # <-
    yield h
--
def f(x):
    h = x.exp()
    yield h
    h = h + 1
    yield h

== what an identity hands on ?? `skip` may be the same tensor and is read afterwards
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        skip = x.exp()
        h = self.drop(skip)
        h += 1  # <-
        return h + skip
--
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        skip = x.exp()
        h = self.drop(skip)
        h = h + 1
        return h + skip

== what a function of this file hands on ?? `x` may be the same tensor and is read afterwards
def prepare(x, flag):
    return x if flag else x * 2


def f(x, flag):
    h = prepare(x, flag)
    h += 1  # <-
    return h + x
--
def prepare(x, flag):
    return x if flag else x * 2


def f(x, flag):
    h = prepare(x, flag)
    h = h + 1
    return h + x

== only its shape is read
def f(x):
    h = x.exp()
    y = h
    h += 1  # <-
    return h.view(y.shape[0], y.size(1))
--
def f(x):
    h = x.exp()
    y = h
    h = h + 1
    return h.view(y.shape[0], y.size(1))

== in one of two branches ?? `x` may be the same tensor and is read afterwards
def f(x, flag):
    if flag:
        h = x
    else:
        h = x * 2
    h += 1  # <-
    return h, x
--
def f(x, flag):
    if flag:
        h = x
    else:
        h = x * 2
    h = h + 1
    return h, x

== saved tensors must not see it
class Gate(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        a *= g  # <-
        return a, b
--
class Gate(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        a = a * g
        return a, b

== mark_dirty says so !! mark_dirty says that the Function writes in place
class Gate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.mark_dirty(a)
        a *= 2  # <-
        return a

== a closure sees the new value as well
def f(x):
    h = x.exp()
    later = lambda: h * 2
    h += 1  # <-
    return later() + h
--
def f(x):
    h = x.exp()
    later = lambda: h * 2
    h = h + 1
    return later() + h
"""
)
def test_programs(case: Case) -> None:
    check(case)


@cases(
    """
== an imported function may hold it ?? `reg` may be the same tensor and is read afterwards
import functools

def f(x, y):
    h = x.exp()
    reg = functools.partial(F.mse_loss, h)
    h *= 0.5  # <-
    return reg(y) + h.sum()
--
import functools

def f(x, y):
    h = x.exp()
    reg = functools.partial(F.mse_loss, h)
    h = h * 0.5
    return reg(y) + h.sum()

== what it returned is used up before
import functools

def f(x, y):
    h = x.exp()
    reg = functools.partial(F.mse_loss, h)
    loss = reg(y).item()
    h *= 0.5  # <-
    return loss, h.sum()
--
import functools

def f(x, y):
    h = x.exp()
    reg = functools.partial(F.mse_loss, h)
    loss = reg(y).item()
    h = h * 0.5
    return loss, h.sum()

== it may return it ?? `heads` may be the same tensor and is read afterwards
from einops import rearrange

def f(x):
    h = x.exp()
    heads = rearrange(h, "n (h d) -> h n d", h=2)
    h *= 0.5  # <-
    return heads.sum() + h.sum()
--
from einops import rearrange

def f(x):
    h = x.exp()
    heads = rearrange(h, "n (h d) -> h n d", h=2)
    h = h * 0.5
    return heads.sum() + h.sum()

== so may a layer of einops ?? `heads` may be the same tensor and is read afterwards
from einops.layers.torch import Rearrange

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.split = Rearrange("n (h d) -> h n d", h=2)

    def forward(self, x):
        h = x.exp()
        heads = self.split(h)
        h *= 0.5  # <-
        return heads.sum() + h.sum()
--
from einops.layers.torch import Rearrange

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.split = Rearrange("n (h d) -> h n d", h=2)

    def forward(self, x):
        h = x.exp()
        heads = self.split(h)
        h = h * 0.5
        return heads.sum() + h.sum()

== it may keep it ?? handed to code that may keep it
import heapq

def f(x, queue):
    h = x.exp()
    heapq.heappush(queue, h)
    h *= 0.5  # <-
    return h
--
import heapq

def f(x, queue):
    h = x.exp()
    heapq.heappush(queue, h)
    h = h * 0.5
    return h

== a view by einsum ?? `turned` may be the same tensor and is read afterwards
def f(x):
    h = x.exp()
    turned = torch.einsum("ij->ji", h)
    h *= 0.5  # <-
    return turned @ h
--
def f(x):
    h = x.exp()
    turned = torch.einsum("ij->ji", h)
    h = h * 0.5
    return turned @ h

== a product by einsum
def f(x, y):
    h = x.exp()
    scores = torch.einsum("ij,jk->ik", h, y)
    h *= 0.5  # <-
    return scores @ h
--
def f(x, y):
    h = x.exp()
    scores = torch.einsum("ij,jk->ik", h, y)
    h = h * 0.5
    return scores @ h

== layers, relative imports and copies return new tensors
import copy
import math
import timm
from .layers import attend

net = timm.create_model("resnet18")

def f(self, x, layers):
    h = x.exp()
    a, b, c = self.norm(h) + net(h), attend(h), copy.deepcopy(h)
    d = layers[0](h) * math.sqrt(h.shape[0]) + sum(h for _ in layers)
    h *= 0.5  # <-
    return a + b + c + d + h
--
import copy
import math
import timm
from .layers import attend

net = timm.create_model("resnet18")

def f(self, x, layers):
    h = x.exp()
    a, b, c = self.norm(h) + net(h), attend(h), copy.deepcopy(h)
    d = layers[0](h) * math.sqrt(h.shape[0]) + sum(h for _ in layers)
    h = h * 0.5
    return a + b + c + d + h
"""
)
def test_code_that_is_not_seen(case: Case) -> None:
    check(case)


CHECKPOINTED = """
def f(self, x):
    h = x.exp()

    def run():
        return self.ffn(h)

    h += checkpoint(run)  # <-
    return h
"""


def test_a_closure_that_is_recomputed() -> None:
    """It would look the name up again and find the sum."""
    result = fix(CHECKPOINTED, "IPG209", unsafe=True)
    assert not result.fixed
    assert "a function that captures `h`" in result.refused[0].reason


@pytest.mark.parametrize("code", ["IPG209", "IPG213"])
def test_where_the_program_runs_its_readers_count(code: str) -> None:
    """Backward does not raise with these rules: somebody may rely on the write."""
    result = fix("def f(x):\n    y = h = x.exp()\n    h += 1  # <-\n    return h, y\n", code, unsafe=True)
    assert not result.fixed
    assert result.refused[0].reason == "`y` may be the same tensor and is read afterwards"
