"""Through calls: helpers, arguments, closures, partial, decorators, generators, recursion."""

from __future__ import annotations

from .programs import checked

PROGRAMS = """
== a helper that writes its argument
def shift(t):
    t += 1  # <- IPG101
    return t
w = torch.randn(3, requires_grad=True)
h = w.exp()
shift(h).sum().backward()
--
def shift(t):
    t += 1
    return t
w = torch.randn(3, requires_grad=True)
h = w + 1
shift(h).sum().backward()

== classes that decorators put into a registry
class Registry:
    def __init__(self):
        self.entries = {}
    def register(self, key):
        def put(cls):
            if key in self.entries:
                raise KeyError(key)
            self.entries[key] = cls
            return cls
        return put
    def build(self, key, *args):
        return self.entries[key](*args)
ACTS = Registry()
LAYERS = {}
def layer(name):
    def put(cls):
        LAYERS[name] = cls
        return cls
    return put
@ACTS.register("gate")
class Gate(nn.Module):
    def forward(self, x):
        return torch.sigmoid(x)
@ACTS.register("relu")
class Relu(nn.Module):
    def forward(self, x):
        return torch.relu_(x)
@layer("twice")
class Twice(nn.Module):
    def forward(self, x):
        return x * 2
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.relu, self.gate, self.twice = ACTS.build("relu"), ACTS.build("gate"), LAYERS["twice"]()
    def forward(self, x):
        y = self.twice(self.relu(self.lin(x)))
        y += x
        z = self.gate(y)
        z += x  # <- IPG101
        return z
>> run
Net()(torch.randn(2, 3)).sum().backward()

== operators of a class
class State:
    def __init__(self, h):
        self.h = h
    def __imul__(self, keep):
        self.h *= keep  # <- IPG101
        return self
    def __add__(self, other):
        return State(self.h + other)
    def __rmul__(self, factor):
        return State(factor * self.h)
w = torch.randn(3, requires_grad=True)
state = State(w.exp())
state *= 0.5
(2 * state + 1).h.sum().backward()
--
class State:
    def __init__(self, h):
        self.h = h
    def __mul__(self, keep):
        return State(self.h * keep)
    def __iadd__(self, other):
        self.h = self.h + other
        return self
w = torch.randn(3, requires_grad=True)
state = State(w.exp())
state *= 0.5
state += 1
state.h.sum().backward()

== a helper that saves its argument
def act(t):
    return t.square()
w = torch.randn(3, requires_grad=True)
h = w * 1
y = act(h)
h.add_(y)  # <- IPG101
h.sum().backward()
--
def act(t):
    return t.clone().square()
w = torch.randn(3, requires_grad=True)
h = w * 1
y = act(h)
h.add_(y)
h.sum().backward()

== a helper that hands back its argument
def maybe_scale(t, scale=None):
    if scale is not None:
        return t * scale
    return t
w = torch.randn(3, requires_grad=True)
h = w.exp()
maybe_scale(h).add_(1)  # <- IPG101
h.sum().backward()
--
def maybe_scale(t, scale=None):
    if scale is not None:
        return t * scale
    return t
w = torch.randn(3, requires_grad=True)
h = w.exp()
y = maybe_scale(h, 2.0).add_(1)
(y.sum() + h.sum()).backward()

== keyword arguments find their parameter
def mix(a, *, into):
    into += a  # <- IPG101
    return into
w = torch.randn(3, requires_grad=True)
mix(torch.ones(3), into=w.exp()).sum().backward()
--
def mix(a, *, into):
    into += a
    return into
w = torch.randn(3, requires_grad=True)
mix(w.exp(), into=torch.ones(3)).sum().backward()

== arguments by star
def mix(a, b, scale=1):
    b.mul_(scale)  # <- IPG101
    return a + b
w = torch.randn(3, requires_grad=True)
given = (w * 1, w.exp())
options = {"scale": 2}
mix(*given, **options).sum().backward()
--
def mix(a, b, scale=1):
    b.mul_(scale)
    return a + b
w = torch.randn(3, requires_grad=True)
given = (w.exp(), w * 1)
options = {"scale": 2}
mix(*given, **options).sum().backward()

== variadic helper
def add_all(*parts, start):
    for p in parts:
        start += p  # <- IPG101
    return start
w = torch.randn(3, requires_grad=True)
add_all(w, w * 2, start=w.exp()).sum().backward()
--
def add_all(*parts, start):
    for p in parts:
        start += p
    return start
w = torch.randn(3, requires_grad=True)
add_all(w, w.exp(), start=torch.zeros(3)).sum().backward()

== a closure writes a variable of its surroundings
w = torch.randn(3, requires_grad=True)
def outer():
    h = w.exp()
    def bump():
        h.add_(1)  # <- IPG101
    bump()
    return h
outer().sum().backward()
--
w = torch.randn(3, requires_grad=True)
def outer():
    h = w.exp()
    def bump():
        return h.add(1)
    return bump() + h
outer().sum().backward()

== nonlocal
w = torch.randn(3, requires_grad=True)
def outer():
    h = w * 1
    def step():
        nonlocal h
        y = h.sin()
        h += y  # <- IPG101
    step()
    step()
    return h
outer().sum().backward()
--
w = torch.randn(3, requires_grad=True)
def outer():
    h = w * 1
    def step():
        nonlocal h
        h = h + h.sin()
    step()
    step()
    return h
outer().sum().backward()

== lambda
w = torch.randn(3, requires_grad=True)
double = lambda t: t.mul_(2)  # <- IPG101
double(w.exp()).sum().backward()
--
w = torch.randn(3, requires_grad=True)
double = lambda t: t.mul(2)
double(w.exp()).sum().backward()

== functools.partial
from functools import partial
def scale(factor, t):
    t.mul_(factor)  # <- IPG101
    return t
w = torch.randn(3, requires_grad=True)
half = partial(scale, 0.5)
half(w.exp()).sum().backward()
--
from functools import partial
w = torch.randn(3, requires_grad=True)
act = partial(F.leaky_relu, negative_slope=0.1)
h = act(w)
h.mul_(2)
h.sum().backward()

== partial of an in-place activation
from functools import partial
act = partial(F.relu, inplace=True)
w = torch.randn(3, requires_grad=True)
h = w * 2
y = h.square()
z = act(h)  # <- IPG101
(y + z).sum().backward()
--
from functools import partial
act = partial(F.relu, inplace=True)
w = torch.randn(3, requires_grad=True)
h = w * 2
act(h).sum().backward()

== a decorator that writes the result
def clamped(f):
    def inner(*args):
        out = f(*args)
        out.clamp_(max=1)  # <- IPG101
        return out
    return inner
@clamped
def act(x):
    return x.exp()
w = torch.randn(3, requires_grad=True)
act(w).sum().backward()
--
def clamped(f):
    def inner(*args):
        out = f(*args)
        out.clamp_(max=1)
        return out
    return inner
@clamped
def act(x):
    return x * 2
w = torch.randn(3, requires_grad=True)
act(w).sum().backward()

== a generator's items
def acts(x):
    yield x.exp()
    yield x * 2
w = torch.randn(3, requires_grad=True)
total = torch.zeros(3)
for a in acts(w):
    a += 1  # <- IPG101
    total = total + a
total.sum().backward()
--
def acts(x):
    yield x.exp()
    yield x * 2
w = torch.randn(3, requires_grad=True)
total = torch.zeros(3)
for a in acts(w):
    total += a
total.sum().backward()

== a generator writes after it handed out
def chunks(x):
    buf = x * 1
    for _ in range(2):
        yield buf
        buf += 1  # <- IPG101
w = torch.randn(3, requires_grad=True)
total = torch.zeros(())
for c in chunks(w):
    total = total + c.square().sum()
total.backward()
--
def chunks(x):
    buf = x * 1
    for _ in range(2):
        yield buf
        buf = buf + 1
w = torch.randn(3, requires_grad=True)
total = torch.zeros(())
for c in chunks(w):
    total = total + c.square().sum()
total.backward()

== recursion
def fold(xs, acc):
    if not xs:
        return acc
    acc += xs[0].exp() * acc  # <- IPG101
    return fold(xs[1:], acc)
w = torch.randn(3, requires_grad=True)
fold([w, w * 2], torch.ones(3)).sum().backward()
--
def fold(xs, acc):
    if not xs:
        return acc
    return fold(xs[1:], acc + xs[0].exp() * acc)
w = torch.randn(3, requires_grad=True)
fold([w, w * 2], torch.ones(3)).sum().backward()

== map and a function as an argument
def each(f, xs):
    return [f(x) for x in xs]
w = torch.randn(3, requires_grad=True)
h = w.exp()
each(lambda t: t.add_(1), [h])  # <- IPG101
h.sum().backward()
--
def each(f, xs):
    return [f(x) for x in xs]
w = torch.randn(3, requires_grad=True)
h = w.exp()
total = sum(map(lambda t: t.add(1).sum(), [h]))
total.backward()

== a default argument that is another function
def plain(t):
    return t.tanh()
def run(t, act=plain):
    y = act(t)
    y += 1  # <- IPG101
    return y
w = torch.randn(3, requires_grad=True)
run(w).sum().backward()
--
def plain(t):
    return t.tanh()
def run(t, act=plain):
    y = act(t)
    y += 1
    return y
w = torch.randn(3, requires_grad=True)
run(w, act=lambda t: t * 2).sum().backward()

== a function of another file probably saves
def loss_of(net, x):
    y = net(x)
    return y.mean()
class Net(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.body = body
        self.lin = nn.Linear(3, 3)
    def forward(self, x):
        h = self.lin(x)
        y = self.body(h)
        h += y  # <- IPG102
        return h
>> run
loss_of(Net(nn.LayerNorm(3)), torch.randn(2, 3)).backward()
--
class Net(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.body = body
        self.lin = nn.Linear(3, 3)
    def forward(self, x):
        h = self.lin(x)
        y = self.body(h)
        y += h
        return y
>> run
Net(nn.Linear(3, 3))(torch.randn(2, 3)).mean().backward()
"""

test_linter, test_pytorch = checked(PROGRAMS)
