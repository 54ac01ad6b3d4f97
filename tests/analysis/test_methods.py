"""Through methods: inheritance, super, properties, static and class methods, callable objects, with statements."""

from __future__ import annotations

from .programs import checked

PROGRAMS = """
== a method writes what forward saved
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(3)
    def residual(self, x, y):
        x.add_(y)  # <- IPG101
        return x
    def forward(self, x):
        x = x * 2
        return self.residual(x, self.norm(x))
>> run
Net()(torch.randn(2, 3, requires_grad=True)).sum().backward()
--
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(3)
    def residual(self, x, y):
        y.add_(x)
        return y
    def forward(self, x):
        x = x * 2
        return self.residual(x, self.norm(x))
>> run
Net()(torch.randn(2, 3, requires_grad=True)).sum().backward()

== an inherited method, the part filled in by the subclass
class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
    def act(self, x):
        return x + 1
    def forward(self, x):
        x = self.act(self.lin(x))
        x *= 2  # <- IPG101
        return x
class Sub(Base):
    def act(self, x):
        return x.tanh()
>> run
Sub()(torch.randn(2, 3)).sum().backward()
--
class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
    def act(self, x):
        return x + 1
    def forward(self, x):
        x = self.act(self.lin(x))
        x *= 2
        return x
class Sub(Base):
    def act(self, x):
        return x - 1
>> run
Sub()(torch.randn(2, 3)).sum().backward()

== super().forward
class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
    def forward(self, x):
        return self.lin(x).softmax(-1)
class Sub(Base):
    def forward(self, x):
        p = super().forward(x)
        p += 1e-6  # <- IPG101
        return p.log()
>> run
Sub()(torch.randn(2, 3)).sum().backward()
--
class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
    def forward(self, x):
        return self.lin(x).softmax(-1)
class Sub(Base):
    def forward(self, x):
        p = super().forward(x) + 1e-6
        return p.log()
>> run
Sub()(torch.randn(2, 3)).sum().backward()

== a context manager that restores
from contextlib import contextmanager
@contextmanager
def shifted(t):
    t.add_(1)
    yield t
    t.sub_(1)  # <- IPG101
w = torch.randn(3, requires_grad=True)
h = w * 1
with shifted(h):
    y = h.square()
(y + h).sum().backward()
--
from contextlib import contextmanager
@contextmanager
def shifted(t):
    t.add_(1)
    yield t
    t.sub_(1)
w = torch.randn(3, requires_grad=True)
h = w * 1
with shifted(h):
    y = h * 2
(y + h).sum().backward()

== a class as context manager
class Scaled:
    def __init__(self, t):
        self.t = t
    def __enter__(self):
        return self.t
    def __exit__(self, *exc):
        self.t.div_(2)  # <- IPG101
w = torch.randn(3, requires_grad=True)
h = w * 1
with Scaled(h) as t:
    y = t.cos()
(y + h).sum().backward()
--
class Scaled:
    def __init__(self, t):
        self.t = t
    def __enter__(self):
        return self.t
    def __exit__(self, *exc):
        self.t.div_(2)
w = torch.randn(3, requires_grad=True)
h = w * 1
with Scaled(h) as t:
    y = t + 1
(y + h).sum().backward()

== static and class methods
class Ops:
    @staticmethod
    def bump(t):
        t += 1  # <- IPG101
        return t
    @classmethod
    def run(cls, t):
        return cls.bump(t)
w = torch.randn(3, requires_grad=True)
Ops.run(w.exp()).sum().backward()
--
class Ops:
    @staticmethod
    def bump(t):
        return t + 1
    @classmethod
    def run(cls, t):
        return cls.bump(t)
w = torch.randn(3, requires_grad=True)
Ops.run(w.exp()).sum().backward()

== a callable object
class Act:
    def __call__(self, t):
        return t.sigmoid()
act = Act()
w = torch.randn(3, requires_grad=True)
act(w).neg_().sum().backward()  # <- IPG101
--
class Act:
    def __call__(self, t):
        return t.sigmoid()
act = Act()
w = torch.randn(3, requires_grad=True)
act(w).neg().add_(1).sum().backward()

== a property makes a new tensor each time
class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.logit = nn.Parameter(torch.zeros(3))
    @property
    def value(self):
        return self.logit.sigmoid()
    def forward(self, x):
        g = self.value
        g *= 2  # <- IPG101
        return g * x
>> run
Gate()(torch.ones(3)).sum().backward()
--
class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.logit = nn.Parameter(torch.zeros(3))
    @property
    def value(self):
        return self.logit * 3
    def forward(self, x):
        g = self.value
        g *= 2
        return g * x
>> run
Gate()(torch.ones(3)).sum().backward()
"""

test_linter, test_pytorch = checked(PROGRAMS)
