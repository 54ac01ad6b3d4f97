"""`F.relu_(x)`, `F.relu(x, inplace=True)`, `out=`."""

from __future__ import annotations

from .marked import Case, cases, check


@cases(
    """
== as a statement
def f(x):
    h = torch.exp(x)
    F.relu_(h)  # <-
    torch.sigmoid_(h)  # <-
    return h
--
def f(x):
    h = torch.exp(x)
    h = F.relu(h)
    h = torch.sigmoid(h)
    return h

== as a value
def f(x, y):
    return y + F.relu_(x)  # <-
--
def f(x, y):
    return y + F.relu(x)

== as the value of the same name
def f(x):
    x = F.leaky_relu_(x, 0.2)  # <-
    return x
--
def f(x):
    x = F.leaky_relu(x, 0.2)
    return x

== as the value of another name
def f(x):
    h = torch.exp(x)
    y = torch.relu_(h)  # <-
    return y * h
--
def f(x):
    h = torch.exp(x)
    y = h = torch.relu(h)
    return y * h

== the keyword
def f(x, p, training):
    h = torch.exp(x)
    h = F.dropout(h, p, training, inplace=True)  # <-
    return h
--
def f(x, p, training):
    h = torch.exp(x)
    h = F.dropout(h, p, training)
    return h

== the keyword in the middle
def f(x):
    return F.elu(torch.exp(x), inplace=True, alpha=2.0)  # <-
--
def f(x):
    return F.elu(torch.exp(x), alpha=2.0)

== the keyword on a line of its own
def f(x):
    return F.relu(  # <-
        torch.exp(x),
        inplace=True,
    )
--
def f(x):
    return F.relu(
        torch.exp(x),
    )

== the keyword in a statement
def f(x):
    h = torch.exp(x)
    F.relu(h, inplace=True)  # <-
    return h
--
def f(x):
    h = torch.exp(x)
    h = F.relu(h)
    return h

== under another name
from torch.nn.functional import relu as act


def f(x):
    h = torch.exp(x)
    return act(h, inplace=True)  # <-
--
from torch.nn.functional import relu as act


def f(x):
    h = torch.exp(x)
    return act(h)

== the out-of-place function is not imported
from torch.nn.functional import relu_


def f(x):
    h = torch.exp(x)
    return relu_(h)  # <-
--
from torch.nn.functional import relu_


def f(x):
    h = torch.exp(x)
    return relu_(h.clone())

== a function whose out-of-place form takes fewer arguments
def f(x):
    h = torch.exp(x)
    return F.elu_(h, 2.0)  # <-
--
def f(x):
    h = torch.exp(x)
    return F.elu(h, 2.0)

== where they are given
def f(x):
    h = torch.exp(x)
    return F.elu_(h, 2.0, 1.5)  # <-
--
def f(x):
    h = torch.exp(x)
    return F.elu_(h.clone(), 2.0, 1.5)

== out
def f(x, y):
    h = torch.exp(x)
    torch.add(h, y, out=h)  # <-
    return h
--
def f(x, y):
    h = torch.exp(x)
    h = torch.add(h, y)
    return h

== out given to the attribute that it is
class Norm:
    def __init__(self):
        self.u = torch.zeros(3)

    def step(self, w):
        self.u = F.normalize(torch.mv(w, self.u), dim=0, out=self.u)  # <-
--
class Norm:
    def __init__(self):
        self.u = torch.zeros(3)

    def step(self, w):
        self.u = F.normalize(torch.mv(w, self.u), dim=0)

== the name is read afterwards, in a larger expression ?? `h` may be the same tensor and is read afterwards
def f(x):
    h = torch.exp(x)
    y = 2 * F.relu_(h)  # <-
    return y + h
--
def f(x):
    h = torch.exp(x)
    y = 2 * F.relu(h)
    return y + h

== a function that only fills !! has no out-of-place form here
def f(layer):
    nn.init.zeros_(layer.weight)  # <-
    return layer

== starred !! *args
def f(args):
    return F.relu_(*args)  # <-

== something that has no name !! cannot be given a new tensor
def f(x):
    F.relu_(x.view(-1))  # <-
    return x
"""
)
def test_programs(case: Case) -> None:
    check(case)
