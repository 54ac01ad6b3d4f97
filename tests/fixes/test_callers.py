"""Arguments are written: what the callers in the same file do with them."""

from __future__ import annotations

from .marked import Case, cases, check


@cases(
    """
== returned, and nobody calls it here
def f(h, x):
    h += x  # <-
    return h
--
def f(h, x):
    h = h + x
    return h

== nothing is returned !! nothing reads `h` afterwards
def f(h, x):
    h += x  # <-

== something else is returned, the written value only logged !! the function returns nothing
def f(h, x):
    h += x  # <-
    print(h)

== the result goes where the argument was
def f(h):
    h += 1  # <-
    return h


def g(h):
    h = f(h)
    return h
--
def f(h):
    h = h + 1
    return h


def g(h):
    h = f(h)
    return h

== the argument is read after the call ?? line N gives it `h`, which is read afterwards
def f(h):
    h += 1  # <-
    return h


def g(x):
    h = x.exp()
    y = f(h)
    return y + h
--
def f(h):
    h = h + 1
    return h


def g(x):
    h = x.exp()
    y = f(h)
    return y + h

== the argument is read in the same expression ?? line N gives it `h`, which is read afterwards
def f(h):
    h += 1  # <-
    return h


def g(x):
    h = x.exp()
    return h * f(h)
--
def f(h):
    h = h + 1
    return h


def g(x):
    h = x.exp()
    return h * f(h)

== called for the write alone !! line N calls the function for the write alone
def f(h):
    h += 1  # <-
    return h


def g(x):
    h = x.exp()
    f(h)
    return h

== through a second function ?? line N gives it `x`, which is read afterwards
def f(h):
    h += 1  # <-
    return h


def g(x):
    return f(x)


def k(y):
    x = y.exp()
    return g(x) + x
--
def f(h):
    h = h + 1
    return h


def g(x):
    return f(x)


def k(y):
    x = y.exp()
    return g(x) + x

== for each item of a list that is read again ?? line N gives it `xs`, which is read afterwards
def f(h):
    h += 1  # <-
    return h


def g(x):
    xs = [x.exp(), x.sin()]
    ys = [f(h) for h in xs]
    return xs, ys
--
def f(h):
    h = h + 1
    return h


def g(x):
    xs = [x.exp(), x.sin()]
    ys = [f(h) for h in xs]
    return xs, ys

== again and again in a comprehension ?? reads the same tensor again for the next item
def f(h):
    h += 1  # <-
    return h


def g(x, n):
    h = x.exp()
    return sum(f(h) for _ in range(n))
--
def f(h):
    h = h + 1
    return h


def g(x, n):
    h = x.exp()
    return sum(f(h) for _ in range(n))

== with keywords ?? line N gives it `x`, which is read afterwards
def f(a, h):
    h += a  # <-
    return h


def g(x):
    return f(h=x, a=1) + x
--
def f(a, h):
    h = h + a
    return h


def g(x):
    return f(h=x, a=1) + x

== starred ?? what line N gives for `h` cannot be told
def f(a, h):
    h += a  # <-
    return h


def g(xs):
    return f(*xs)
--
def f(a, h):
    h = h + a
    return h


def g(xs):
    return f(*xs)

== handed to other code ?? `f` is handed to other code
def f(h):
    h += 1  # <-
    return h


def g(layer):
    return layer.register_forward_hook(f)
--
def f(h):
    h = h + 1
    return h


def g(layer):
    return layer.register_forward_hook(f)

== a method
class A:
    def shift(self, h):
        h += 1  # <-
        return h

    def run(self, x):
        h = x.exp()
        h = self.shift(h)
        return h
--
class A:
    def shift(self, h):
        h = h + 1
        return h

    def run(self, x):
        h = x.exp()
        h = self.shift(h)
        return h

== a module, its input read again ?? line N gives it `h`, which is read afterwards
class Block(nn.Module):
    def forward(self, h):
        h += 1  # <-
        return h


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()

    def forward(self, x):
        h = x.exp()
        return self.block(h) + h
--
class Block(nn.Module):
    def forward(self, h):
        h = h + 1
        return h


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()

    def forward(self, x):
        h = x.exp()
        return self.block(h) + h

== modules in a list, one after the other
class Block(nn.Module):
    def forward(self, h):
        h += 1  # <-
        return h


class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.blocks = nn.ModuleList([Block() for _ in range(n)])

    def forward(self, x):
        h = x.exp()
        for block in self.blocks:
            h = block(h)
        return h
--
class Block(nn.Module):
    def forward(self, h):
        h = h + 1
        return h


class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.blocks = nn.ModuleList([Block() for _ in range(n)])

    def forward(self, x):
        h = x.exp()
        for block in self.blocks:
            h = block(h)
        return h

== modules in a list, side by side ?? line N gives it `h`, which is read afterwards
class Block(nn.Module):
    def forward(self, h):
        h += 1  # <-
        return h


class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.blocks = nn.ModuleList([Block() for _ in range(n)])

    def forward(self, x, out):
        h = x.exp()
        for block in self.blocks:
            out = out + block(h)
        return out
--
class Block(nn.Module):
    def forward(self, h):
        h = h + 1
        return h


class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.blocks = nn.ModuleList([Block() for _ in range(n)])

    def forward(self, x, out):
        h = x.exp()
        for block in self.blocks:
            out = out + block(h)
        return out

== a module made by a function and given to another ?? line N gives it `x`, which is read afterwards
class Block(nn.Module):
    def forward(self, h):
        h += 1  # <-
        return h


def make():
    return nn.Sequential(Block(), nn.Linear(3, 3))


def run(net, x):
    return net(x) + x


run(make(), torch.ones(3))
--
class Block(nn.Module):
    def forward(self, h):
        h = h + 1
        return h


def make():
    return nn.Sequential(Block(), nn.Linear(3, 3))


def run(net, x):
    return net(x) + x


run(make(), torch.ones(3))

== a custom Function called for the write alone !! line N calls the function for the write alone
class Stamp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, canvas, patch):
        canvas[1:3] += patch  # <-
        return canvas


def f(x, patch):
    canvas = x.exp()
    Stamp.apply(canvas, patch)
    return canvas

== what lives on in an attribute ?? line N gives it `self.state`, which lives on
def f(h):
    h += 1  # <-
    return h


class A:
    def __init__(self):
        self.state = torch.zeros(3)

    def run(self):
        return f(self.state)
--
def f(h):
    h = h + 1
    return h


class A:
    def __init__(self):
        self.state = torch.zeros(3)

    def run(self):
        return f(self.state)

== what is left at its default
def f(x, h=None):
    h = x.exp() if h is None else h
    h += 1  # <-
    return h


def g(x):
    return f(x) + 1
--
def f(x, h=None):
    h = x.exp() if h is None else h
    h = h + 1
    return h


def g(x):
    return f(x) + 1
"""
)
def test_programs(case: Case) -> None:
    check(case)
