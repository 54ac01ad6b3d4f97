"""NumPy arrays and other views from outside: a copy, where they come from. Only with --unsafe-fixes."""

from __future__ import annotations

from .marked import Case, cases, check

MEANT = "the write may be meant for everybody who holds the tensor"


@cases(
    f"""
== an array of its own ?? {MEANT}
import numpy as np


def saturation(h):
    arr = h.detach().numpy()
    arr -= arr.mean(axis=0)  # <-
    arr /= arr.std(axis=0)
    return float(np.abs(arr).max())
--
import numpy as np


def saturation(h):
    arr = h.detach().numpy().copy()
    arr -= arr.mean(axis=0)
    arr /= arr.std(axis=0)
    return float(np.abs(arr).max())

== asarray, written by a function of NumPy ?? {MEANT}
import numpy as np


def off_diagonal(kernel):
    view = np.asarray(kernel.detach())
    np.multiply(view, 2.0, out=view)  # <-
    return view.sum()
--
import numpy as np


def off_diagonal(kernel):
    view = np.asarray(kernel.detach()).copy()
    np.multiply(view, 2.0, out=view)
    return view.sum()

== an item ?? {MEANT}
def first(h):
    arr = h.detach().numpy()
    arr[0] = 0.0  # <-
    return arr.sum()
--
def first(h):
    arr = h.detach().numpy().copy()
    arr[0] = 0.0
    return arr.sum()

== a tensor by dlpack ?? {MEANT}
from torch.utils.dlpack import from_dlpack, to_dlpack


def peak(rates):
    ext = from_dlpack(to_dlpack(rates.detach()))
    ext.clamp_(max=1.0)  # <-
    return ext.max().item()
--
from torch.utils.dlpack import from_dlpack, to_dlpack


def peak(rates):
    ext = from_dlpack(to_dlpack(rates.detach())).clone()
    ext.clamp_(max=1.0)
    return ext.max().item()

== an argument ?? {MEANT}
def sharpen(weights, power):
    weights **= power  # <-
    return weights.max()
--
def sharpen(weights, power):
    weights = weights ** power
    return weights.max()

== written for the tensor !! nothing reads `w` afterwards
import numpy as np


def prune(layer, keep):
    w = layer.weight.detach().numpy()
    np.multiply(w, keep, out=w)  # <-

== two places that it may come from !! where `arr` comes to share memory cannot be told
def f(h, flag):
    arr = h.detach().numpy()
    if flag:
        arr = h.numpy()
    arr[0] = 0.0  # <-
    return arr.sum()

== an attribute !! the memory is shared with something that is no tensor
class A:
    def step(self, x):
        self.arr[0] = x  # <-
        return self.arr
"""
)
def test_programs(case: Case) -> None:
    check(case, "IPG202")
