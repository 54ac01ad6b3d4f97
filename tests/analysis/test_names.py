"""Imports, aliases and annotations: how the linter knows what a name is."""

from __future__ import annotations

import sys
import types

import pytest
import torch

from .programs import checked

PROGRAMS = """
== import as
import torch as th
w = th.randn(3, requires_grad=True)
h = th.exp(w)
th.Tensor.add_(h, 1)  # <- IPG101
h.sum().backward()
--
import torch as th
w = th.randn(3, requires_grad=True)
h = th.add(w, 1)
th.Tensor.add_(h, 1)
h.sum().backward()

== functional by three names
import torch
import torch.nn.functional
from torch.nn import functional as F
from torch.nn.functional import relu as rectify
w = torch.randn(3, requires_grad=True)
h = torch.nn.functional.gelu(F.elu(w))
y = rectify(h)
y.neg_()  # <- IPG101
y = y + h
y.sum().backward()
--
import torch
import torch.nn.functional
from torch.nn import functional as F
from torch.nn.functional import linear as dense
w = torch.randn(3, 3, requires_grad=True)
h = torch.nn.functional.gelu(F.elu(w))
y = dense(h.detach(), w)
h.neg_()
h.sum().backward()

== names from torch itself
from torch import no_grad, randn, sigmoid, zeros
from torch.nn import Linear, Module, Parameter
from torch.optim import SGD
w = Parameter(randn(3))
s = sigmoid(w)
with no_grad():
    s.clamp_(0.1)  # <- IPG101
s.sum().backward()
--
from torch import no_grad, randn, sigmoid, zeros
from torch.nn import Linear, Module, Parameter
from torch.optim import SGD
w = Parameter(randn(3))
opt = SGD([w], lr=0.1)
s = sigmoid(w)
s.sum().backward()
opt.step()
with no_grad():
    w.clamp_(0.1)

== a star import of helpers says nothing
from math import *
import torch
w = torch.randn(3, requires_grad=True)
h = w * sqrt(2)
h += pi
h.sum().backward()

== a name bound to a function of torch
import torch
act = torch.sigmoid
w = torch.randn(3, requires_grad=True)
h = act(w)
h -= 0.5  # <- IPG101
h.sum().backward()
--
import torch
act = torch.neg
w = torch.randn(3, requires_grad=True)
h = act(w)
h -= 0.5
h.sum().backward()

== an import shadowed by a function of the file
import torch
from torch.nn.functional import relu
def relu(x):
    return x * 2
w = torch.randn(3, requires_grad=True)
h = relu(w)
h += 1
h.sum().backward()

== imports inside a function and under a condition
try:
    import torch
except ImportError:
    torch = None
def run():
    import torch.nn.functional as F
    w = torch.randn(3, requires_grad=True)
    h = F.softmax(w, dim=0)
    h += 1  # <- IPG101
    h.sum().backward()
run()
--
try:
    import torch
except ImportError:
    torch = None
def run():
    import torch.nn.functional as F
    w = torch.randn(3, requires_grad=True)
    h = F.pad(w, (0, 1))
    h += 1
    h.sum().backward()
run()

== an annotated parameter requires grad
import torch
from torch import nn
def fit(p: nn.Parameter) -> None:
    p.square().sum().backward()
    p -= 0.1 * p.grad  # <- IPG103
>> run
fit(nn.Parameter(torch.ones(2)))
--
import torch
from torch import nn
def fit(p: nn.Parameter) -> None:
    p.square().sum().backward()
    with torch.no_grad():
        p -= 0.1 * p.grad
>> run
fit(nn.Parameter(torch.ones(2)))

== an annotated tensor
import torch
from torch import Tensor, nn
class Net(nn.Module):
    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        y = x.mul(bias)
        x += 1  # <- IPG101
        return y
>> run
Net()(torch.randn(3, requires_grad=True) * 1, torch.randn(3, requires_grad=True)).sum().backward()
--
import torch
from torch import Tensor, nn
class Net(nn.Module):
    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        y = x.add(bias)
        x += 1
        return y
>> run
Net()(torch.randn(3, requires_grad=True) * 1, torch.randn(3, requires_grad=True)).sum().backward()

== optional, in three spellings
from typing import Optional, Union
import torch
from torch import Tensor, nn
class Net(nn.Module):
    def forward(self, x: Tensor, a: Optional[Tensor] = None, b: "Tensor | None" = None, c: Union[int, float] = 1):
        y = x.square()
        if a is not None:
            y = y + a
        if b is not None:
            y = y * b
        c += 1
        x *= c  # <- IPG101
        return y
>> run
Net()(torch.randn(3, requires_grad=True) * 1).sum().backward()
--
from typing import Optional, Union
import torch
from torch import Tensor, nn
class Net(nn.Module):
    def forward(self, x: Tensor, a: Optional[Tensor] = None, b: "Tensor | None" = None, c: Union[int, float] = 1):
        y = x.square()
        if a is not None:
            y += a
        if b is not None:
            y = y * b
        c += 1
        y *= c
        return y
>> run
Net()(torch.randn(3, requires_grad=True) * 1).sum().backward()

== an integer tensor has no gradient
import torch
from torch import LongTensor, nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(5, 3)
    def forward(self, ids: LongTensor, lengths: torch.Tensor):
        lengths = lengths.long()
        lengths += 1
        out = self.emb(ids)
        return out
>> run
Net()(torch.tensor([1]), torch.tensor([1])).sum().backward()

== a class annotated as a module
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, body: nn.Module):
        super().__init__()
        self.body = body
    def forward(self, x: torch.Tensor):
        h = x * 2
        y = self.body(h)
        h += y  # <- IPG102
        return h
>> run
Net(nn.LayerNorm(3))(torch.randn(2, 3, requires_grad=True)).sum().backward()
--
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, body: nn.Module):
        super().__init__()
        self.body = body
    def forward(self, x: torch.Tensor):
        h = x * 2
        y = self.body(h)
        return h + y
>> run
Net(nn.LayerNorm(3))(torch.randn(2, 3, requires_grad=True)).sum().backward()

== a base class by another name
import torch
import torch.nn as nn
Base = nn.Module
class Net(Base):
    def forward(self, x):
        y = torch.tanh(x)
        y[..., 0] = 0  # <- IPG101
        return y
>> run
Net()(torch.randn(3, requires_grad=True)).sum().backward()
--
import torch
import torch.nn as nn
Base = nn.Module
class Net(Base):
    def forward(self, x):
        y = torch.tanh(x).clone()
        y[..., 0] = 0
        return y
>> run
Net()(torch.randn(3, requires_grad=True)).sum().backward()

== type checking blocks and string annotations
from __future__ import annotations
from typing import TYPE_CHECKING
import torch
if TYPE_CHECKING:
    from torch import Tensor
class Net(torch.nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        y = x.exp()
        y /= y.sum()  # <- IPG101
        return y
>> run
Net()(torch.randn(3, requires_grad=True)).sum().backward()
--
from __future__ import annotations
from typing import TYPE_CHECKING
import torch
if TYPE_CHECKING:
    from torch import Tensor
class Net(torch.nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        y = x.exp()
        return y / y.sum()
>> run
Net()(torch.randn(3, requires_grad=True)).sum().backward()
"""

JAXTYPING = """
== a tensor annotated with its shape
from jaxtyping import Float, Int
class Net(nn.Module):
    def forward(self, x: Float[torch.Tensor, "b d"], ids: Int[torch.Tensor, "b"]):
        ids += 1
        y = x.square()
        x -= 1  # <- IPG101
        return y
>> run
Net()(torch.randn(1, 2, requires_grad=True) * 1, torch.tensor([1])).sum().backward()
--
from jaxtyping import Float, Int
class Net(nn.Module):
    def forward(self, x: Float[torch.Tensor, "b d"], ids: Int[torch.Tensor, "b"]):
        ids += 1
        y = x.square()
        y -= 1
        return y
>> run
Net()(torch.randn(1, 2, requires_grad=True) * 1, torch.tensor([1])).sum().backward()
"""

test_linter, test_pytorch = checked(PROGRAMS, prelude="")
test_linter_on_jaxtyping, test_pytorch_with_jaxtyping = checked(JAXTYPING)


@pytest.fixture(autouse=True)
def jaxtyping(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in: the linter goes by the import, and jaxtyping itself need not be installed."""

    class Annotation:
        def __class_getitem__(cls, item: object) -> type[torch.Tensor]:
            return torch.Tensor

    module = types.ModuleType("jaxtyping")
    module.Float = module.Int = Annotation  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "jaxtyping", module)
