"""In-place methods of tensors, as statements and as values."""

from __future__ import annotations

from .marked import Case, cases, check


@cases(
    """
== a chain that reads what it has written
def f(x):
    h = x.exp()
    h.mul_(2).add_(h, alpha=3).clamp_(max=h.sum())  # <-
    return h
--
def f(x):
    h = x.exp()
    h = h.mul(2)
    h = h.add(h, alpha=3)
    h = h.clamp(max=h.sum())
    return h

== a chain of lines that reads what it has written !! between two writes of a chain in brackets
def f(x):
    h = x.exp()
    (h.mul_(2)  # <-
      .add_(h))
    return h

== a comprehension for its writes !! nothing uses the value
def f(ts):
    [t.mul_(2) for t in ts]  # <-
    return ts

== add_
def f(h, x):
    h.add_(x)  # <-
    return h
--
def f(h, x):
    h = h + x
    return h

== add_ of a condition
def f(h, x, flag):
    h.add_(x if flag else 1)  # <-
    return h
--
def f(h, x, flag):
    h = h + (x if flag else 1)
    return h

== add_ with alpha
def f(h, x):
    h.add_(x, alpha=2)  # <-
    return h
--
def f(h, x):
    h = h.add(x, alpha=2)
    return h

== add_ with a comment in it
def f(h, x):
    h.add_(  # <-
        x  # the residual
    )
    return h
--
def f(h, x):
    h = h.add(
        x  # the residual
    )
    return h

== another method
def f(h, mask):
    h.masked_fill_(~mask, -1e4)  # <-
    return h
--
def f(h, mask):
    h = h.masked_fill(~mask, -1e4)
    return h

== a chain
def f(x, m, s):
    x.sub_(m).div_(s)  # <-
    return x
--
def f(x, m, s):
    x = x.sub(m).div(s)
    return x

== a chain over lines
def f(x, m, s):
    (
        x.sub_(m)  # <-
        .div_(s)
    )
    return x
--
def f(x, m, s):
    x = (
        x.sub(m)
        .div(s)
    )
    return x

== an attribute
class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(3))

    def forward(self, x):
        self.mean.lerp_(x.mean(0), 0.1)  # <-
        return x - self.mean
--
class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(3))

    def forward(self, x):
        self.mean = self.mean.lerp(x.mean(0), 0.1)
        return x - self.mean

== an element of a list
def f(x):
    hs = [x.exp(), x.sin()]
    hs[0].mul_(2)  # <-
    return hs
--
def f(x):
    hs = [x.exp(), x.sin()]
    hs[0] = hs[0].mul(2)
    return hs

== a method without an out-of-place form
def f(x, y):
    h = x.exp()
    h.copy_(y)  # <-
    return h
--
def f(x, y):
    h = x.exp()
    h = h.clone()
    h.copy_(y)
    return h

== a method whose out-of-place form has another dtype
def f(x, y):
    h = x.exp()
    h.lt_(y)  # <-
    return h
--
def f(x, y):
    h = x.exp()
    h = h.clone()
    h.lt_(y)
    return h

== copy_ of what is computed from the tensor
def f(x, y):
    h = x.exp()
    h.copy_(h * y)  # <-
    return h
--
def f(x, y):
    h = x.exp()
    value = h * y
    h = h.clone()
    h.copy_(value)
    return h

== a write through a view
def f(k, jitter):
    chol = torch.linalg.cholesky(k)
    chol.diagonal().add_(jitter)  # <-
    return chol
--
def f(k, jitter):
    chol = torch.linalg.cholesky(k)
    chol = chol.clone()
    chol.diagonal().add_(jitter)
    return chol

== a value
def f(a, eps):
    n = a.norm(dim=-1, keepdim=True).clamp_(min=eps)  # <-
    return a / n
--
def f(a, eps):
    n = a.norm(dim=-1, keepdim=True).clamp(min=eps)
    return a / n

== a value of a name that is not read again
def f(scores):
    total = scores.logsumexp(-1)
    return scores.exp_() / total  # <-
--
def f(scores):
    total = scores.logsumexp(-1)
    return scores.exp() / total

== a value given to the same name
def f(h):
    h = h.relu_()  # <-
    return h
--
def f(h):
    h = h.relu()
    return h

== a value of a name that is read again
def f(x):
    h = x.exp()
    y = h.mul_(2)  # <-
    return y + h
--
def f(x):
    h = x.exp()
    y = h = h.mul(2)
    return y + h

== a returned chain
def f(x, m, s):
    return x.sub_(m).div_(s)  # <-
--
def f(x, m, s):
    return x.sub(m).div(s)

== a value without an out-of-place form
def f(x):
    h = x.exp()
    return h.zero_() + x  # <-
--
def f(x):
    h = x.exp()
    return h.clone().zero_() + x

== detach_ ?? may come to the same tensor again
def f(cell, xs, h):
    for x in xs:
        h = cell(x, h)
        h.detach_()  # <-
    return h
--
def f(cell, xs, h):
    for x in xs:
        h = cell(x, h)
        h = h.detach()
    return h

== metadata
def f(h):
    return h.unsqueeze_(1)  # <-
--
def f(h):
    return h.unsqueeze(1)

== a name that is read in the same expression ?? `h` may be the same tensor and is read afterwards
def f(x):
    h = x.exp()
    return h.mul_(2) + h  # <-
--
def f(x):
    h = x.exp()
    return h.mul(2) + h

== a starred argument !! *args
def f(h, args):
    h.add_(*args)  # <-
    return h

== keywords !! *args or **kwargs
def f(h, kwargs):
    h.add_(**kwargs)  # <-
    return h

== resizing something that has a name elsewhere !! nothing reads `h` afterwards
def f(h):
    h.zero_()  # <-

== a method of something else !! it is not a method of a tensor
def f(h):
    h.conv.reset_()  # <-
    return h

== a parameter !! `self.weight` is a parameter
class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))

    def forward(self, x):
        self.weight.mul_(0.5)  # <-
        return x * self.weight

== in a lambda ?? it is written in a lambda
def f(x):
    return map(lambda t: t.exp_(), [x])  # <-
--
def f(x):
    return map(lambda t: t.exp(), [x])

== in a lambda that is called for its result ?? it is written in a lambda
def f(x):
    h = x.exp()
    return (lambda t: t.mul_(2))(h)  # <-
--
def f(x):
    h = x.exp()
    return (lambda t: t.mul(2))(h)

== in a lambda that is called for the write !! the lambda is called for the write alone
def f(x):
    h = x.exp()
    (lambda t: t.mul_(2))(h)  # <-
    return h

== in a lambda that is called by name for the write !! the lambda is called for the write alone
def f(x):
    h = x.exp()
    double = lambda t: t.mul_(2)  # <-
    double(h)
    return h

== in a comprehension
def f(x, n):
    hs = [h.sub(1).exp_() for h in x.split(n)]  # <-
    return hs
--
def f(x, n):
    hs = [h.sub(1).exp() for h in x.split(n)]
    return hs

== the same tensor for every item ?? the comprehension reads the same tensor again
def f(x, ns):
    h = x.exp()
    return [h.mul_(n) for n in ns]  # <-
--
def f(x, ns):
    h = x.exp()
    return [h.mul(n) for n in ns]

== in the head of a loop
def f(x):
    for row in x.exp().mul_(2):  # <-
        print(row)
--
def f(x):
    for row in x.exp().mul(2):
        print(row)

== a condition that would need a copy !! nothing reads `h` afterwards
def f(x):
    h = x.exp()
    h.view(-1).add_(1)  # <-
    return x
"""
)
def test_programs(case: Case) -> None:
    check(case)
