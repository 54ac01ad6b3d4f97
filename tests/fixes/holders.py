"""Programs whose tensors are held in many ways when they are written: what `main()` returns must not change."""

PROGRAMS = """
== getattr dynamic
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.state = torch.ones(3)
    def forward(self, x):
        name = "state"
        s = getattr(self, name)
        s += x
        return s * 2
def main():
    m = M()
    a = m(torch.ones(3))
    b = m(torch.ones(3))
    return [a, b, m.state]

== setattr dynamic
class M:
    pass
def main():
    m = M()
    h = torch.ones(3)
    setattr(m, "h", h)
    h *= 3
    return [h, m.h]

== dunder dict
class M:
    def __init__(self):
        self.h = torch.ones(3)
def main():
    m = M()
    t = m.__dict__["h"]
    t += 1
    u = vars(m)["h"]
    u *= 2
    return [t, m.h]

== star unpack
def main():
    xs = [torch.ones(2) * i for i in range(4)]
    first, *rest = xs
    first += 5
    rest[0] *= 3
    last = rest[-1]
    last.sub_(1)
    return xs

== zip star
def main():
    pairs = [(torch.ones(2), torch.zeros(2)), (torch.ones(2) * 2, torch.zeros(2))]
    a, b = zip(*pairs)
    h = a[0]
    h += 1
    g = b[1]
    g.add_(4)
    return [t for p in pairs for t in p]

== dict zip
def main():
    xs = [torch.ones(2), torch.zeros(2)]
    d = dict(zip("ab", xs))
    h = d["a"]
    h *= 7
    return [d["a"], xs[0]]

== genexp lazy
def main():
    h = torch.ones(2)
    g = (t * 2 for t in [h])
    h += 1
    return [next(g), h]

== lru cached
import functools
@functools.lru_cache(None)
def table(n):
    return torch.arange(n).float()
def main():
    table.cache_clear()
    t = table(3)
    t *= 10
    return [table(3), t]

== cached property
import functools
class M:
    @functools.cached_property
    def table(self):
        return torch.ones(3)
    def step(self):
        t = self.table
        t += 1
        return t.sum()
def main():
    m = M()
    return [m.step(), m.step(), m.table]

== accumulate chain
import itertools
def main():
    xs = [torch.ones(2), torch.zeros(2)]
    for t in itertools.chain(xs, [torch.ones(2)]):
        t += 1
    a = next(itertools.islice(xs, 1, None))
    a *= 4
    return xs

== deque hold
from collections import deque
def main():
    q = deque(maxlen=2)
    h = torch.ones(2)
    q.append(h)
    h += 1
    q.append(h)
    h *= 3
    return list(q)

== dataclass field
from dataclasses import dataclass, replace
@dataclass
class S:
    h: torch.Tensor
    c: torch.Tensor
def main():
    s = S(torch.ones(2), torch.zeros(2))
    t = replace(s, c=torch.ones(2))
    h = t.h
    h += 1
    s.c += 2
    return [s.h, s.c, t.h, t.c]

== frozen dataclass
from dataclasses import dataclass
@dataclass(frozen=True)
class S:
    h: torch.Tensor
    def bump(self):
        self.h.add_(1)
        return self.h.sum()
def main():
    s = S(torch.ones(2))
    return [s.bump(), s.h]

== slots class
class S:
    __slots__ = ("h",)
    def __init__(self, h):
        self.h = h
    def bump(self):
        self.h += 1
        return self.h
def main():
    x = torch.zeros(2)
    s = S(x)
    return [s.bump(), x]

== map lambda
def main():
    xs = [torch.ones(2), torch.zeros(2)]
    ys = list(map(lambda t: t.add_(1), xs))
    ys[0] *= 2
    return xs + ys

== list copy
import copy
def main():
    xs = [torch.ones(2)]
    ys = xs[:]
    zs = copy.copy(xs)
    ws = list(xs)
    ys[0].add_(1)
    h = zs[0]
    h *= 3
    ws[0] -= 1
    return xs + ys + zs + ws

== list mul
def main():
    xs = [torch.zeros(2)] * 3
    h = xs[0]
    h += 1
    return xs

== max key
def main():
    xs = [torch.ones(2), torch.ones(2) * 3]
    best = max(xs, key=lambda t: t.sum().item())
    best -= 10
    worst = sorted(xs, key=lambda t: t.sum().item())[0]
    worst *= 2
    return xs

== exception carries
class Found(Exception):
    def __init__(self, t):
        self.t = t
def search(h):
    raise Found(h)
def main():
    h = torch.ones(2)
    try:
        search(h)
    except Found as e:
        t = e.t
        t += 1
    return [h, t]

== yield from
def inner(h):
    yield h
    h += 1
    yield h
def outer(h):
    yield from inner(h)
def main():
    h = torch.ones(2)
    out = list(outer(h))
    return out + [h]

== send generator
def runner():
    h = torch.zeros(2)
    while True:
        x = yield h
        if x is None:
            return
        h += x
def main():
    g = runner()
    first = next(g)
    second = g.send(torch.ones(2))
    return [first, second]

== context manager
import contextlib
POOL = [torch.zeros(2)]
@contextlib.contextmanager
def borrowed():
    yield POOL[0]
def main():
    POOL[0] = torch.zeros(2)
    with borrowed() as h:
        h += 1
    return [POOL[0], h]

== enter method
class Scope:
    def __init__(self):
        self.t = torch.ones(2)
    def __enter__(self):
        return self.t
    def __exit__(self, *a):
        self.t = self.t + 1
def main():
    s = Scope()
    with s as h:
        h *= 5
    return [s.t, h]

== dropout eval
def main():
    torch.manual_seed(0)
    x = torch.ones(3)
    h = F.dropout(x, 0.5, training=False)
    h += 1
    y = torch.ones(2)
    d = nn.Dropout(0.3).eval()
    g = d(y)
    g *= 2
    return [x, h, y, g]

== to same
def main():
    x = torch.ones(3)
    a = x.to(torch.float32)
    a += 1
    b = x.type_as(a)
    b *= 2
    c = torch.as_tensor(x)
    c -= 1
    d = x.contiguous()
    d.add_(0.5)
    return [x, a, b, c, d]

== atleast
def main():
    x = torch.ones(3)
    a = torch.atleast_2d(x)
    a += 1
    b, c = torch.broadcast_tensors(x, x)
    d = x.ravel()
    d *= 3
    e = x[None]
    e -= 1
    f = x[...]
    f.mul_(2)
    return [x, a, d, e, f]

== complex views
def main():
    x = torch.ones(3, 2)
    z = torch.view_as_complex(x)
    z *= 2
    r = z.real
    r += 1
    return [x, torch.view_as_real(z), r]

== mT views
def main():
    x = torch.arange(6.0).view(2, 3)
    y = x.mT
    y += 1
    z = x.T
    z[0] = 5
    w = x.movedim(0, 1)
    w *= 2
    return [x, y, z, w]

== default arg capture
def main():
    h = torch.ones(2)
    def later(t=h):
        return t * 2
    h += 1
    return [later(), h]

== closure nonlocal
def main():
    h = torch.ones(2)
    log = []
    def bump():
        nonlocal h
        h += 1
        log.append(h)
    bump()
    bump()
    return log + [h]

== class attribute
class C:
    shared = torch.zeros(2)
    def bump(self):
        self.shared += 1
        return self.shared
def main():
    C.shared = torch.zeros(2)
    a, b = C(), C()
    a.bump()
    b.bump()
    return [a.shared, b.shared, C.shared]

== class attribute method
class C:
    shared = torch.zeros(2)
    def bump(self):
        self.shared.add_(1)
        return self.shared * 1
def main():
    C.shared = torch.zeros(2)
    a, b = C(), C()
    x = a.bump()
    y = b.bump()
    return [x, y, C.shared]

== property no setter
class C:
    def __init__(self):
        self._h = torch.zeros(2)
    @property
    def h(self):
        return self._h
    def bump(self):
        self.h.add_(1)
        return self.h.sum()
def main():
    c = C()
    return [c.bump(), c.bump(), c._h]

== inherited attribute
class Base:
    def __init__(self, t):
        self.t = t
class Child(Base):
    def bump(self):
        self.t *= 2
        return self.t
def main():
    x = torch.ones(2)
    c = Child(x)
    return [c.bump(), x]

== attr of other object
class Holder:
    def __init__(self):
        self.h = torch.ones(2)
def bump(o):
    t = o.h
    t += 1
    return t.sum()
def main():
    o = Holder()
    return [bump(o), bump(o), o.h]

== two objects one tensor
class Node:
    def __init__(self, t):
        self.t = t
    def scale(self, k):
        self.t *= k
        return self
def main():
    x = torch.ones(2)
    a, b = Node(x), Node(x)
    a.scale(2)
    b.scale(3)
    return [a.t, b.t, x]

== module returns buffer
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mem", torch.zeros(2))
    def read(self):
        return self.mem
    def forward(self, x):
        m = self.read()
        m += x
        return m.sum()
def main():
    m = M()
    a = m(torch.ones(2))
    b = m(torch.ones(2))
    return [a, b, m.mem]

== buffers loop
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("a", torch.ones(2))
        self.register_buffer("b", torch.ones(2))
    def decay(self):
        for b in self.buffers():
            b *= 0.5
        for n, b in self.named_buffers():
            b.add_(1)
        return self.a + self.b
def main():
    m = M()
    return [m.decay(), m.a, m.state_dict()["b"]]

== state dict item
def main():
    torch.manual_seed(0)
    net = nn.Linear(2, 2)
    sd = net.state_dict()
    w = sd["weight"]
    w *= 0
    sd["bias"].zero_()
    return [net(torch.ones(1, 2)).detach()]

== optimizer state
def main():
    torch.manual_seed(0)
    p = nn.Parameter(torch.ones(2))
    opt = torch.optim.SGD([p], lr=0.1, momentum=0.9)
    p.sum().backward()
    opt.step()
    buf = opt.state[p]["momentum_buffer"]
    buf *= 0
    p.grad.mul_(0)
    opt.step()
    return [p.detach()]

== grad attr
def main():
    w = torch.ones(2, requires_grad=True)
    (w * 3).sum().backward()
    g = w.grad
    g *= 2
    w.grad += 1
    return [w.grad, g]

== numpy shared
def main():
    x = torch.ones(3)
    a = x.numpy()
    x += 1
    y = torch.from_numpy(a)
    y *= 2
    return [x, torch.tensor(a), y]

== tolist after
def main():
    x = torch.ones(3)
    v = x.view(3, 1)
    x.mul_(4)
    return [v, x]

== conditional rebind
def main():
    out = []
    for flag in (True, False):
        x = torch.ones(2)
        y = x
        if flag:
            y = y.clone()
        y += 1
        out += [x, y]
    return out

== loop carried alias
def main():
    prev = None
    outs = []
    h = torch.zeros(2)
    for i in range(3):
        h += i
        if prev is not None:
            outs.append(prev * 1)
        prev = h
    return outs + [h]

== while alias
def main():
    h = torch.ones(2)
    best = h
    k = 0
    while k < 3:
        h *= 2
        if k == 1:
            best = h
        k += 1
    return [best, h]

== try finally alias
def main():
    h = torch.ones(2)
    kept = []
    try:
        kept.append(h)
        h += 1
        raise ValueError
    except ValueError:
        h *= 3
    finally:
        h -= 1
    return kept + [h]

== match alias
def main():
    out = []
    for kind in ("a", "b"):
        h = torch.ones(2)
        match (kind, h):
            case ("a", t):
                t += 1
            case (_, t):
                t *= 5
        out.append(h)
    return out

== match mapping
def main():
    d = {"h": torch.ones(2)}
    match d:
        case {"h": t}:
            t += 1
    return [d["h"]]

== walrus alias
def main():
    if (h := torch.ones(2)).sum() > 1:
        g = h
        g += 1
    return [h, g]

== chained assign
def main():
    a = b = torch.zeros(2)
    a += 1
    c = d = torch.zeros(2)
    c.add_(2)
    return [a, b, c, d]

== tuple swap
def main():
    a, b = torch.zeros(2), torch.ones(2)
    c, d = b, a
    c += 5
    d -= 5
    return [a, b, c, d]

== nested tuple
def main():
    (a, (b, c)) = (torch.zeros(2), (torch.ones(2), torch.ones(2)))
    keep = (a, (b, c))
    b += 1
    c.mul_(4)
    return [keep[0], keep[1][0], keep[1][1]]

== return alias both
def f(x):
    y = x
    y += 1
    return x, y
def main():
    return list(f(torch.ones(2)))

== kwargs call
def f(**kw):
    h = kw["h"]
    h += 1
    return h
def main():
    x = torch.ones(2)
    y = f(h=x)
    return [x, y]

== args call
def f(*xs):
    h = xs[0]
    h *= 2
    return h
def main():
    x = torch.ones(2)
    y = f(x)
    return [x, y]

== method object passed
class Acc:
    def __init__(self):
        self.total = torch.zeros(2)
    def add(self, x):
        self.total += x
        return self.total
def main():
    acc = Acc()
    seen = [acc.add(torch.ones(2)) for _ in range(3)]
    return seen

== callback
def each(xs, fn):
    for x in xs:
        fn(x)
def main():
    xs = [torch.ones(2), torch.zeros(2)]
    def bump(t):
        t += 1
        return t
    each(xs, bump)
    return xs

== decorator inplace
def logged(fn):
    def wrap(t):
        r = fn(t)
        return t.sum() + r.sum()
    return wrap
@logged
def bump(t):
    t += 1
    return t
def main():
    return [bump(torch.ones(2))]

== partial bump
import functools
def bump(t, k):
    t += k
    return t
def main():
    x = torch.ones(2)
    f = functools.partial(bump, x)
    a = f(1)
    b = f(2)
    return [x, a, b]

== operator getters
import operator
class O: pass
def main():
    o = O()
    o.h = torch.ones(2)
    h = operator.attrgetter("h")(o)
    h += 1
    xs = [torch.ones(2)]
    g = operator.itemgetter(0)(xs)
    g *= 3
    return [o.h, xs[0]]

== reduce inplace
import functools
def main():
    xs = [torch.ones(2), torch.ones(2) * 2]
    total = functools.reduce(lambda a, b: a.add_(b), xs)
    return [total, xs[0]]

== sum start
def main():
    acc = torch.zeros(2)
    keep = acc
    for x in [torch.ones(2)] * 3:
        acc += x
    return [acc, keep]

== identity module
class Pass(nn.Module):
    def forward(self, x):
        return x
def main():
    x = torch.ones(2)
    h = Pass()(x)
    h += 1
    g = nn.Identity()(x)
    g *= 2
    s = nn.Sequential(nn.Identity(), Pass())(x)
    s -= 1
    return [x, h, g, s]

== flatten view
def main():
    x = torch.ones(2, 2)
    f = nn.Flatten()(x)
    f += 1
    g = torch.flatten(x)
    g *= 2
    h = x.flatten(0, 1)
    h -= 3
    u = nn.Unflatten(0, (1, 2))(x)
    u += 5
    return [x, f, g, h, u]

== unbind split
def main():
    x = torch.ones(3, 2)
    a, b, c = x
    a += 1
    d = x.split(1)[2]
    d *= 4
    e = list(x)[1]
    e -= 1
    return [x]

== index select copy
def main():
    x = torch.ones(3, 2)
    a = x[[0, 1]]
    a += 1
    b = x[x[:, 0] > 0]
    b *= 2
    c = x.index_select(0, torch.tensor([0]))
    c -= 1
    d = x[0:2]
    d += 10
    return [x, a, b, c, d]

== set grad statement
def main():
    w = torch.ones(2, requires_grad=True)
    torch.set_grad_enabled(False)
    h = w * 2
    h += w
    torch.set_grad_enabled(True)
    y = (h * w).sum()
    y.backward()
    return [w.grad, h]

== no grad alias name
from torch import no_grad as ng
def main():
    w = torch.ones(2, requires_grad=True)
    h = w * 3
    with ng():
        h += 1
    (h * h.detach()).sum().backward()
    return [w.grad]

== no grad contextmanager variable
def main():
    w = torch.ones(2, requires_grad=True)
    ctx = torch.no_grad()
    h = w * 3
    with ctx:
        h += 1
    h.sum().backward()
    return [w.grad]

== retain grad
def main():
    w = torch.ones(2, requires_grad=True)
    h = w * 2
    h.retain_grad()
    h *= 3
    h.sum().backward()
    return [w.grad, h.grad]

== retain grad helper
def watch(t):
    t.retain_grad()
    return t
def main():
    w = torch.ones(2, requires_grad=True)
    h = watch(w * 2)
    h *= 3
    h.sum().backward()
    return [w.grad, h.grad]

== is identity
def main():
    x = torch.ones(2)
    y = x
    y += 1
    same = x is y
    return [torch.tensor(float(same)), x]

== weakref hold
import weakref
def main():
    x = torch.ones(2)
    r = weakref.ref(x)
    x += 1
    t = r()
    return [torch.tensor(float(t is None)), x]

== locals read
def main():
    h = torch.ones(2)
    d = locals()
    h += 1
    return [d["h"], h]

== global list
KEEP = []
def keep(t):
    KEEP.append(t)
def main():
    KEEP.clear()
    h = torch.ones(2)
    keep(h)
    h += 1
    return [KEEP[0], h]

== global statement method
LAST = None
def save(t):
    global LAST
    LAST = t
    return t * 1
def main():
    h = torch.ones(2)
    y = save(h)
    h *= 9
    return [LAST, y, h]

== kept by result use
SEEN = {}
def register(name, t):
    SEEN[name] = t
    return len(SEEN)
def main():
    SEEN.clear()
    h = torch.ones(2)
    n = register("h", h)
    h *= 9
    return [SEEN["h"], h, torch.tensor(float(n))]

== object keeps in init
class View:
    def __init__(self, t):
        self.t = t
    def total(self):
        return self.t.sum()
def main():
    h = torch.ones(2)
    v = View(h)
    h += 1
    return [v.total(), h]

== fluent object
class B:
    def __init__(self):
        self.xs = []
    def put(self, t):
        self.xs.append(t)
        return self
def main():
    h = torch.ones(2)
    b = B().put(h)
    h += 1
    return [b.xs[0], h]

== dict or merge
def main():
    h = torch.ones(2)
    d = {"a": 1} | {"h": h}
    e = {**d}
    h += 1
    return [e["h"], h]

== set of tensors
def main():
    h = torch.ones(2)
    s = {h}
    h += 1
    return [next(iter(s)), h]

== list extend plus
def main():
    h = torch.ones(2)
    xs = []
    xs += [h]
    ys = xs + [h]
    h += 1
    return ys

== subscript aug list
def main():
    xs = [torch.ones(2), torch.ones(2)]
    y = xs[0]
    xs[0] += 1
    zs = xs
    zs[1] *= 3
    return [y] + xs

== dict aug alias
def main():
    d = {"a": torch.ones(2)}
    e = dict(d)
    d["a"] += 1
    return [d["a"], e["a"]]

== nested dict
def main():
    st = {"rnn": {"h": torch.ones(2)}}
    h = st["rnn"]["h"]
    h += 1
    st["rnn"]["h"] *= 2
    return [st["rnn"]["h"], h]

== tensor in string key
def main():
    h = torch.ones(2)
    cfg = dict(init=h, scale=2)
    h *= cfg["scale"]
    return [cfg["init"], h]

== expand alias
def main():
    x = torch.ones(1, 2)
    y = x.expand(3, 2)
    x += 1
    return [y, x]

== unfold alias
def main():
    x = torch.arange(4.0)
    y = x.unfold(0, 2, 1)
    x *= 2
    return [y, x]

== diag alias
def main():
    x = torch.zeros(3, 3)
    d = x.diagonal()
    d += 1
    e = torch.diagonal(x, 1)
    e -= 1
    return [x, d]

== where new
def main():
    x = torch.ones(2)
    y = torch.where(x > 0, x, x)
    y += 1
    return [x, y]

== squeeze alias
def main():
    x = torch.ones(1, 2)
    y = x.squeeze(0)
    y += 1
    z = torch.unsqueeze(x, 0)
    z *= 3
    return [x, y, z]

== double of float
def main():
    x = torch.ones(2)
    x += torch.tensor([0.1, 0.2], dtype=torch.float64)
    y = torch.ones(2, dtype=torch.bfloat16)
    y.mul_(torch.tensor([0.3, 0.7]))
    n = torch.arange(3)
    n *= 2
    return [x, y, n, torch.tensor(float(x.dtype == torch.float32))]

== double global
SCALE = torch.linspace(0, 1, 3, dtype=torch.float64)
def norm(h):
    h *= SCALE
    return h
def main():
    y = norm(torch.ones(3))
    return [y, torch.tensor(float(y.dtype == torch.float32))]

== double param
def mix(h, k):
    h *= k
    return h
def main():
    y = mix(torch.ones(3), torch.ones(3).double())
    return [torch.tensor(float(y.dtype == torch.float32)), y]

== double param far
def mix(h, k):
    return apply(h, k)
def apply(h, k):
    h *= k
    return h
def main():
    y = mix(torch.ones(3), torch.ones(3).double())
    return [torch.tensor(float(y.dtype == torch.float32)), y]

== double tuple
def stats():
    return torch.zeros(3).double(), torch.ones(3).double()
def main():
    mean, std = stats()
    h = torch.ones(3)
    h -= mean
    h /= std
    return [torch.tensor(float(h.dtype == torch.float32)), h]

== half module
def main():
    torch.manual_seed(0)
    net = nn.Linear(2, 2).to(torch.bfloat16)
    h = net(torch.ones(1, 2, dtype=torch.bfloat16)).detach()
    h += torch.ones(2)
    return [torch.tensor(float(h.dtype == torch.bfloat16))]

== default dtype numpy
import numpy as np
def main():
    noise = np.ones(3)
    h = torch.ones(3)
    h += torch.from_numpy(noise)
    return [torch.tensor(float(h.dtype == torch.float32))]

== int pow
def main():
    n = torch.arange(1, 4)
    n **= 2
    n //= 2
    b = torch.tensor([True, False])
    b |= torch.tensor([False, False])
    b &= torch.tensor([True, True])
    return [n, b.float()]

== int plus bool
def main():
    n = torch.zeros(3, dtype=torch.uint8)
    n += torch.tensor([True, False, True])
    m = torch.zeros(3, dtype=torch.int32)
    m += torch.ones(3, dtype=torch.int64)
    return [torch.tensor(float(n.dtype == torch.uint8)), torch.tensor(float(m.dtype == torch.int32)), n, m]

== out dtype
def main():
    buf = torch.empty(3, dtype=torch.float64)
    torch.add(torch.ones(3), 1, out=buf)
    return [torch.tensor(float(buf.dtype == torch.float64)), buf]

== out alias
def main():
    buf = torch.empty(3)
    ref = buf
    torch.mul(torch.ones(3), 2, out=buf)
    return [ref, buf]

== out view
def main():
    buf = torch.zeros(2, 3)
    torch.mul(torch.ones(3), 2, out=buf[0])
    row = buf[1]
    torch.add(torch.ones(3), 5, out=row)
    return [buf]

== broadcast left
def main():
    x = torch.zeros(2, 3)
    x += torch.ones(3)
    x.add_(torch.ones(2, 1))
    return [x]

== memory format
def main():
    x = torch.ones(1, 2, 3, 3).to(memory_format=torch.channels_last)
    x += torch.ones(1, 2, 3, 3)
    return [torch.tensor(float(x.is_contiguous(memory_format=torch.channels_last))), x]

== strides kept
def main():
    x = torch.arange(6.0).view(2, 3).t()
    x += torch.ones(3, 2)
    return [torch.tensor(list(x.stride())).float(), x]

== strides expanded rhs
def main():
    x = torch.zeros(3, 2).t()
    x.copy_(torch.ones(2, 3))
    x *= torch.arange(3.0)
    return [torch.tensor(list(x.stride())).float(), x]

== contiguous left
def main():
    x = torch.zeros(2, 3)[:, ::2]
    x += torch.ones(2, 2)
    return [x]

== inplace relu reuse
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU(inplace=True)
    def forward(self, x):
        y = self.act(x)
        return x + y
def main():
    return [M()(torch.tensor([-1.0, 2.0]))]

== inplace relu list
def main():
    acts = nn.ModuleList([nn.ReLU(inplace=True), nn.ReLU6(inplace=True)])
    x = torch.tensor([-1.0, 9.0])
    for a in acts:
        a(x)
    return [x]

== functional call alone
def main():
    x = torch.tensor([-1.0, 9.0])
    y = x
    F.relu_(x)
    F.relu(x, inplace=True)
    torch.clamp_(x, max=5)
    return [x, y]

== init calls
def main():
    torch.manual_seed(0)
    w = torch.empty(2, 2)
    ref = w
    nn.init.constant_(w, 0.3)
    nn.init.ones_(w).mul_(2)
    return [w, ref]

== foreach
def main():
    xs = [torch.ones(2), torch.ones(3)]
    torch._foreach_mul_(xs, 3)
    torch._foreach_add_(xs, xs)
    return xs

== deepcopy not alias
import copy
def main():
    x = torch.ones(2)
    y = copy.deepcopy(x)
    x += 1
    return [x, y]

== cat single
def main():
    x = torch.ones(2)
    y = torch.cat([x])
    x += 1
    z = torch.stack([x]).squeeze(0)
    x *= 2
    return [x, y, z]

== sum of one
def main():
    x = torch.ones(2)
    y = sum([x])
    w = sum([torch.ones(2)], start=x)
    x += 1
    return [x, y, w]

== min of two
def main():
    x = torch.ones(2)
    y = torch.max(x, x)
    x += 1
    return [x, y]

== reversed and enumerate
def main():
    xs = [torch.ones(2) * i for i in range(3)]
    for i, t in enumerate(reversed(xs)):
        t *= i + 1
    for t, s in zip(xs, xs[1:]):
        t += s
    return xs

== comprehension effect
def main():
    xs = [torch.ones(2), torch.zeros(2)]
    [t.add_(1) for t in xs]
    ys = [t.mul_(3) for t in xs if t.sum() > 2]
    return xs + ys

== ternary effect
def main():
    x = torch.ones(2)
    y = x
    x.add_(1) if x.sum() > 0 else x.sub_(1)
    return [x, y]

== and effect
def main():
    x = torch.ones(2)
    y = x
    flag = True
    flag and x.mul_(3)
    return [x, y]

== assert effect
def main():
    x = torch.ones(2)
    y = x
    assert x.add_(1).sum() > 0
    return [x, y]

== return effect
def f(x):
    y = x
    return x.add_(1), y
def main():
    return list(f(torch.ones(2)))

== arg order
def f(a, b):
    return a * 10 + b
def main():
    x = torch.ones(2)
    return [f(x.add_(1), x), f(x, x.mul_(2))]

== binop order
def main():
    x = torch.ones(2)
    y = x * x.add_(1)
    z = x.add_(1) * x
    return [y, z, x]

== tuple order
def main():
    x = torch.ones(2)
    a, b = x, x.add_(1)
    c = [x.mul_(2), x, x.sub_(1)]
    return [a, b] + c

== fstring effect
def main():
    x = torch.ones(2)
    s = f"{x.add_(1).sum().item()}"
    return [x, torch.tensor(float(s))]

== lambda default
def main():
    x = torch.ones(2)
    f = lambda t=x: t + 1
    x *= 5
    return [f(), x]

== del name
def main():
    x = torch.ones(2)
    y = x
    x += 1
    del x
    return [y]

== star target loop
def main():
    rows = [(torch.ones(2), torch.ones(2), torch.ones(2))]
    for a, *rest in rows:
        a += 1
        rest[0] *= 2
    return list(rows[0])

== with multiple
import contextlib
def main():
    x = torch.ones(2)
    with contextlib.nullcontext(x) as h, contextlib.suppress(ValueError):
        h += 1
    return [x, h]

== async fn
import asyncio
async def bump(t):
    t += 1
    return t
async def go():
    x = torch.ones(2)
    y = await bump(x)
    z = await asyncio.gather(bump(x))
    return [x, y, z[0]]
def main():
    return asyncio.run(go())

== thread shared
import threading
def main():
    x = torch.ones(2)
    def work():
        x.add_(1)
    t = threading.Thread(target=work)
    t.start(); t.join()
    x *= 2
    return [x]

== submodule attribute
class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("t", torch.ones(2))
class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
    def forward(self, x):
        self.inner.t += x
        t = self.inner.t
        t *= 2
        return t.sum()
def main():
    m = Outer()
    return [m(torch.ones(2)), m(torch.ones(2)), m.inner.t]

== tied attributes
class M:
    def __init__(self):
        self.a = torch.zeros(2)
        self.b = self.a
    def step(self):
        self.a += 1
        return self.b * 1
def main():
    m = M()
    return [m.step(), m.step(), m.a, m.b]

== tied after init
class M:
    def __init__(self):
        self.a = torch.zeros(2)
        self.b = torch.zeros(2)
    def tie(self):
        self.b = self.a
        return self
    def step(self):
        self.a.add_(1)
        return self.b.sum()
def main():
    m = M().tie()
    return [m.step(), m.step()]

== tied from outside
class M:
    def __init__(self):
        self.a = torch.zeros(2)
    def step(self):
        self.a += 1
        return self.a.sum()
def main():
    m = M()
    keep = m.a
    r = m.step()
    return [r, keep, m.a]

== subclass reads attribute
class Base:
    def __init__(self):
        self.t = torch.zeros(2)
    def step(self):
        self.t += 1
        return self.t.sum()
class Child(Base):
    def __init__(self):
        super().__init__()
        self.view = self.t[:1]
def main():
    c = Child()
    return [c.step(), c.view, c.t]

== buffer in state dict taken before
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("n", torch.zeros(1))
    def forward(self, x):
        self.n += 1
        return x * self.n
def main():
    m = M()
    sd = m.state_dict()
    y = m(torch.ones(1))
    return [y, sd["n"], m.n]

== buffer shared by name
class M(nn.Module):
    def __init__(self, shared):
        super().__init__()
        self.register_buffer("s", shared)
    def forward(self):
        self.s.mul_(2)
        return self.s * 1
def main():
    t = torch.ones(2)
    a, b = M(t), M(t)
    return [a(), b(), t]

== module list of state
class Cell:
    def __init__(self):
        self.h = torch.zeros(2)
class Net:
    def __init__(self):
        self.cells = [Cell() for _ in range(2)]
    def run(self, x):
        for c in self.cells:
            c.h += x
            h = c.h
            h *= 2
            x = h
        return x
def main():
    n = Net()
    a = n.run(torch.ones(2))
    b = n.run(torch.ones(2))
    return [a, b] + [c.h for c in n.cells]

== dict of buffers self
class Opt:
    def __init__(self, ps):
        self.ps = ps
        self.state = {i: torch.zeros_like(p) for i, p in enumerate(ps)}
    def step(self, gs):
        for i, (p, g) in enumerate(zip(self.ps, gs)):
            m = self.state[i]
            m.mul_(0.9).add_(g)
            p.sub_(m, alpha=0.1)
        return self.state
def main():
    ps = [torch.ones(2), torch.ones(3)]
    o = Opt(ps)
    o.step([torch.ones(2), torch.ones(3)])
    s = o.step([torch.ones(2), torch.ones(3)])
    return ps + list(s.values())

== dict setdefault state
def main():
    state = {}
    outs = []
    for t in range(3):
        m = state.setdefault("m", torch.zeros(2))
        m += t + 1
        outs.append(state["m"].sum())
    return outs + [state["m"]]

== defaultdict state
from collections import defaultdict
def main():
    acc = defaultdict(lambda: torch.zeros(2))
    for k in ("a", "b", "a"):
        acc[k] += 1
        v = acc[k]
        v *= 2
    return [acc["a"], acc["b"]]

== dict get state
def main():
    d = {"h": torch.ones(2)}
    h = d.get("h")
    h += 1
    g = d.pop("h")
    g *= 3
    return [h, g]

== counter class call
class Ema:
    def __init__(self):
        self.v = None
    def __call__(self, x):
        if self.v is None:
            self.v = x
        else:
            self.v.mul_(0.5).add_(x)
        return self.v
def main():
    e = Ema()
    x = torch.ones(2)
    a = e(x)
    b = e(torch.ones(2))
    return [a, b, x]

== first call keeps argument
class Mean:
    def __init__(self):
        self.total = None
    def update(self, x):
        if self.total is None:
            self.total = x
        else:
            self.total += x
def main():
    m = Mean()
    first = torch.ones(2)
    m.update(first)
    m.update(torch.ones(2))
    return [m.total, first]

== add first to sum
def total(xs):
    out = None
    for x in xs:
        if out is None:
            out = x
        else:
            out += x
    return out
def main():
    xs = [torch.ones(2), torch.ones(2)]
    s = total(xs)
    return [s] + xs

== reduce default
def merge(x, acc=None):
    acc = x if acc is None else acc
    acc += 1
    return acc
def main():
    x = torch.ones(2)
    return [merge(x), x]

== or default
def merge(x, acc=None):
    acc = acc if acc is not None else x
    acc *= 3
    return acc
def main():
    x, y = torch.ones(2), torch.ones(2)
    return [merge(x), merge(x, y), x, y]

== recursion
def down(x, n):
    if n == 0:
        return x
    x += 1
    return down(x, n - 1)
def main():
    x = torch.zeros(2)
    y = down(x, 3)
    return [x, y]

== mutual helpers
def outer(x):
    y = inner(x)
    y += 1
    return y
def inner(x):
    return x.view(-1)
def main():
    x = torch.zeros(2, 1)
    y = outer(x)
    return [x, y]

== helper returns tuple
def parts(x):
    return x[:1], x[1:]
def main():
    x = torch.zeros(3)
    a, b = parts(x)
    a += 1
    b -= 1
    return [x, a, b]

== helper returns dict
def pack(x):
    return {"x": x, "y": x * 2}
def main():
    x = torch.zeros(2)
    d = pack(x)
    h = d["x"]
    h += 1
    d["y"] += 5
    return [x, d["x"], d["y"]]

== helper conditional identity
def maybe(x, flag):
    if flag:
        return x * 2
    return x
def main():
    x, z = torch.ones(2), torch.ones(2)
    a = maybe(x, True)
    a += 1
    b = maybe(z, False)
    b += 1
    return [x, a, z, b]

== method identity
class Norm(nn.Module):
    def __init__(self, on):
        super().__init__()
        self.on = on
    def forward(self, x):
        if not self.on:
            return x
        return x / 2
def main():
    x = torch.ones(2)
    n = Norm(False)
    y = n(x)
    y += 1
    return [x, y]

== module variable activation
class Block(nn.Module):
    def __init__(self, act=nn.Identity()):
        super().__init__()
        self.act = act
    def forward(self, x):
        h = self.act(x)
        h += 1
        return h + x
def main():
    return [Block()(torch.ones(2)), Block(nn.ReLU())(torch.ones(2))]

== sequential empty
def main():
    x = torch.ones(2)
    h = nn.Sequential()(x)
    h += 1
    return [x, h]

== modulelist loop identity
def main():
    x = torch.ones(2)
    h = x
    for m in nn.ModuleList([nn.Identity(), nn.Identity()]):
        h = m(h)
    h *= 4
    return [x, h]

== dropout p0
def main():
    x = torch.ones(2)
    d = nn.Dropout(0.0)
    d.eval()
    h = d(x)
    h += 1
    return [x, h]

== interpolate same
def main():
    x = torch.ones(1, 1, 2, 2)
    y = F.pad(x, (0, 0))
    y += 1
    z = x.expand_as(x)
    z.mul_(2)
    return [x, y, z]

== type conversions
def main():
    x = torch.ones(2)
    a = x.float()
    a += 1
    b = x.cpu()
    b *= 2
    c = x.detach()
    c -= 1
    d = torch.Tensor(x)
    d.add_(0.5)
    return [x, a, b, c, d]

== nan to num out
def main():
    x = torch.tensor([float("nan"), 1.0])
    y = x
    torch.nan_to_num_(x)
    x.nan_to_num_(1.0)
    return [x, y]

== sort views
def main():
    x = torch.tensor([3.0, 1.0])
    v, i = x.sort()
    v += 1
    a, b = x.min(), x.max()
    a -= 5
    b *= 2
    return [x, v, a, b]

== item views of rows
def main():
    m = torch.zeros(3, 2)
    rows = [m[i] for i in range(3)]
    rows[0] += 1
    r = rows[1]
    r += 2
    for r in rows:
        r *= 2
    return [m]

== column loop
def main():
    m = torch.ones(2, 3)
    for j in range(3):
        c = m[:, j]
        c *= j
    return [m]

== meshgrid views
def main():
    a, b = torch.meshgrid(torch.arange(2.0), torch.arange(3.0), indexing="ij")
    a = a.clone()
    a += b
    return [a, b]

== in place on result of call kept
CACHE = {}
def get(n):
    if n not in CACHE:
        CACHE[n] = torch.zeros(n)
    return CACHE[n]
def main():
    CACHE.clear()
    t = get(2)
    t += 1
    u = get(2)
    u *= 3
    return [get(2), t]

== class cache
class Table:
    cache = {}
    @classmethod
    def get(cls, n):
        if n not in cls.cache:
            cls.cache[n] = torch.ones(n)
        return cls.cache[n]
def main():
    Table.cache = {}
    t = Table.get(2)
    t *= 5
    return [Table.get(2), t]

== memo attribute
class M:
    def __init__(self):
        self._m = None
    def mask(self):
        if self._m is None:
            self._m = torch.ones(2)
        return self._m
    def run(self, x):
        m = self.mask()
        m *= x
        return m.sum()
def main():
    m = M()
    return [m.run(2.0), m.run(3.0), m.mask()]

== property alias
class M:
    def __init__(self):
        self._h = torch.ones(2)
    @property
    def h(self):
        return self._h
def main():
    m = M()
    t = m.h
    t += 1
    return [m.h, t]

== static helper
class Ops:
    @staticmethod
    def same(x):
        return x
def main():
    x = torch.ones(2)
    y = Ops.same(x)
    y += 1
    z = Ops().same(x)
    z *= 2
    return [x, y, z]

== callable parameter
def apply(fn, x):
    y = fn(x)
    y += 1
    return y
def main():
    x = torch.ones(2)
    return [apply(lambda t: t, x), x]

== higher order
def compose(*fs):
    def run(x):
        for f in fs:
            x = f(x)
        return x
    return run
def main():
    x = torch.ones(2)
    y = compose(lambda t: t.view(-1), lambda t: t)(x)
    y += 1
    return [x, y]

== iterator protocol
class Stream:
    def __init__(self, xs):
        self.xs = xs
    def __iter__(self):
        return iter(self.xs)
    def __getitem__(self, i):
        return self.xs[i]
def main():
    xs = [torch.ones(2), torch.ones(2)]
    s = Stream(xs)
    for t in s:
        t += 1
    h = s[0]
    h *= 3
    return xs

== dataloader collate
def main():
    data = [(torch.ones(2), 0), (torch.zeros(2), 1)]
    for x, y in data:
        x += y + 1
    xs = [x for x, _ in data]
    xs[0] *= 2
    return [d[0] for d in data]

== logging history
class Log:
    def __init__(self):
        self.rows = []
    def write(self, **kw):
        self.rows.append(kw)
def main():
    log = Log()
    h = torch.ones(2)
    log.write(h=h, step=1)
    h += 1
    return [log.rows[0]["h"], h]

== print like keeps
KEPT = []
def info(t):
    KEPT.append(t)
def main():
    KEPT.clear()
    h = torch.ones(2)
    info(h)
    h += 1
    return [KEPT[0], h]

== hook registered before
def main():
    w = torch.ones(2, requires_grad=True)
    h = w * 2
    seen = []
    h.register_hook(lambda g: seen.append(g.clone()))
    h *= 3
    h.sum().backward()
    return [w.grad] + seen

== requires grad after
def main():
    x = torch.ones(2)
    x *= 3
    x.requires_grad_()
    (x * x).sum().backward()
    return [x.grad]

== leaf in list
def main():
    ws = [torch.ones(2, requires_grad=True) for _ in range(2)]
    sum((w * w).sum() for w in ws).backward()
    with torch.no_grad():
        for w in ws:
            w -= 0.1 * w.grad
            w.grad.zero_()
    return [t for w in ws for t in (w.detach(), w.grad)]

== no grad ctx manager class
class Frozen:
    def __enter__(self):
        self.prev = torch.is_grad_enabled()
        torch.set_grad_enabled(False)
    def __exit__(self, *a):
        torch.set_grad_enabled(self.prev)
def main():
    w = torch.ones(2, requires_grad=True)
    h = w * 3
    with Frozen():
        h += 1
    h.sum().backward()
    return [w.grad]

== exit stack no grad
import contextlib
def main():
    w = torch.ones(2, requires_grad=True)
    h = w * 3
    with contextlib.ExitStack() as st:
        st.enter_context(torch.no_grad())
        h += 1
    h.sum().backward()
    return [w.grad]

== no grad decorated caller
@torch.no_grad()
def outer(h):
    return bump(h)
def bump(h):
    h += 1
    return h
def main():
    w = torch.ones(2, requires_grad=True)
    h = w * 3
    h = outer(h)
    h.sum().backward()
    return [w.grad]

== partial
import functools
def main():
    w = torch.ones(2, 3)
    h = w.exp()
    loss = functools.partial(F.mse_loss, h)
    h *= 0.5
    return [loss(w), h]

== function made by a partial hands back
import functools
def main():
    flat = functools.partial(torch.reshape, shape=(-1,))
    h = torch.ones(2, 3)
    v = flat(h)
    h *= 0.5
    return [v, h]

== partial in an attribute
import functools
class M:
    def __init__(self):
        self.flat = functools.partial(torch.reshape, shape=(-1,))
    def forward(self, x):
        h = x.exp()
        v = self.flat(h)
        h *= 0.5
        return [v, h]
def main():
    return M().forward(torch.ones(2, 3))

== methods of builtin classes
class M:
    pass
def main():
    m, q = M(), []
    h, g = torch.ones(2), torch.ones(2)
    object.__setattr__(m, "h", h)
    list.append(q, g)
    h *= 3
    g += 1
    return [m.h, q[0], h, g]

== context variable
import contextvars
def main():
    variable = contextvars.ContextVar("variable")
    h = torch.ones(2)
    token = variable.set(h)
    h *= 3
    return [variable.get(), h]

== thread pool
from concurrent.futures import ThreadPoolExecutor
def main():
    h = torch.ones(2)
    with ThreadPoolExecutor() as pool:
        future = pool.submit(lambda t: t, h)
        k = future.result()
        h *= 3
    return [k, h]

== replace in a named tuple
import collections
Pair = collections.namedtuple("Pair", "a b")
def main():
    h = torch.ones(2)
    p = Pair(1, 2)._replace(a=h)
    h *= 3
    return [p.a, h]

== random choice
import random
def main():
    h = torch.ones(2)
    k = random.choice([h])
    h *= 3
    return [k, h]

== result of a partial of the tensor
import functools
def main():
    h = torch.ones(2, 3)
    flat = functools.partial(torch.reshape, h)
    v = flat((-1,))
    h *= 0.5
    return [v]

== einsum of one operand
def main():
    h = torch.rand(2, 3)
    v = torch.einsum("ij->ji", h)
    h.mul_(2)
    return [v, h]

== add to a list of several
def main():
    q, r = [], []
    h = torch.ones(2)
    q += [h]
    h *= 3
    return [q[0], h]

== add to a list of an argument
def keep(q):
    h = torch.ones(2)
    q += [h]
    h *= 3
    return h
def main():
    q = []
    return [keep(q), q[0]]

== setdefault alone
class M:
    def __init__(self):
        self.feats = {}
    def forward(self, x):
        for i in range(2):
            x = x.exp()
            self.feats.setdefault(i, x)
            x += 1
        return x
def main():
    m = M()
    return [m.forward(torch.ones(2)), m.feats[0], m.feats[1]]

== fromkeys
def main():
    h = torch.ones(2)
    d = dict.fromkeys("ab", h)
    h *= 3
    return [d["a"], h]

== heap
import heapq
def main():
    q = []
    h = torch.ones(2)
    heapq.heappush(q, (0, h))
    h *= 3
    return [q[0][1], h]

== reduce
import functools
def main():
    h = torch.ones(2)
    k = functools.reduce(lambda a, b: a, [h, 1])
    h *= 3
    return [k, h]

== chain and repeat
import itertools
def main():
    h, g = torch.ones(2), torch.ones(2)
    both = itertools.chain([h], itertools.repeat(g, 2))
    h *= 3
    g += 1
    return [*both, h, g]

== itemgetter in a variable
import operator
def main():
    take = operator.itemgetter(0)
    h = torch.ones(2)
    k = take([h])
    h *= 3
    return [k, h]

== null context without with
import contextlib
def main():
    h = torch.ones(2)
    context = contextlib.nullcontext(h)
    h *= 3
    with context as k:
        return [k, h]

== tree map
from torch.utils._pytree import tree_map
def main():
    h = torch.ones(2)
    kept = tree_map(lambda t: t, {"h": h})
    h *= 3
    return [kept["h"], h]

== item of globals
def main():
    h = torch.ones(2)
    globals()["kept_h"] = h
    h *= 3
    return [kept_h, h]

== setattr in a comprehension
class M:
    pass
def main():
    m = M()
    h = torch.ones(2)
    [setattr(m, name, h) for name in "ab"]
    h *= 3
    return [m.a, h]

== append in an expression
def main():
    q = []
    h = torch.ones(2)
    done = q.append(h) or 1
    h *= 3
    return [q[0], h]

== annotate
def main():
    h = torch.ones(2)
    k = torch.jit.annotate(torch.Tensor, h)
    h *= 3
    return [k, h]

== exec names it
def main():
    h = torch.ones(2)
    names = {"h": h}
    exec("k = h", names)
    h *= 3
    return [names["k"], h]

== chain reads what it wrote
def main():
    h, g = torch.ones(2), torch.ones(2)
    h.mul_(2).add_(h)
    g.add_(1).masked_fill_(g > 1, 7).mul_(g.sum())
    return [h, g]

== chain reads a view of what it wrote
def main():
    h = torch.ones(2)
    v = h.view(-1)
    h.mul_(2).add_(v)
    return [h]

== chain on rows reads what it wrote
def main():
    h = torch.ones(2, 2)
    h[0].mul_(2).add_(h.sum())
    return [h]

== value of a chain that reads what it wrote
def main():
    h = torch.ones(2)
    y = h.mul_(2).add_(h)
    return [y]

== chain calls what reads it
def main():
    h = torch.ones(2)
    def total():
        return h.sum()
    h.mul_(2).add_(total())
    return [h]

== varargs handed back
def keep(*a):
    return a
def main():
    h = torch.ones(2)
    k = keep(1, h)
    h *= 3
    return [k[1], h]

== varargs kept
KEPT = []
def keep(first, *a):
    KEPT.extend(a)
    return first
def main():
    KEPT.clear()
    h = torch.ones(2)
    k = keep(1, 2, h)
    h *= 3
    return [KEPT[1], h]

== keywords handed back
def keep(**kw):
    return kw
def main():
    h = torch.ones(2)
    k = keep(h=h)
    h *= 3
    return [k["h"], h]

== keywords handed on
def inner(**kw):
    return list(kw.values())
def outer(**kw):
    return inner(**kw)
def main():
    h = torch.ones(2)
    k = outer(x=h)
    h *= 3
    return [k[0], h]

== keywords in a new dict
def wrap(t, **kw):
    return dict(kw, t=t)
def main():
    h = torch.ones(2)
    k = wrap(1, x=h)
    h *= 3
    return [k["x"], h]

== starred argument handed back
def second(a, b):
    return b
def main():
    h = torch.ones(2)
    k = second(*[1, h])
    h *= 3
    return [k, h]

== closure of a factory
def make(t):
    def read():
        return t * 1
    return read
def main():
    h = torch.ones(2)
    read = make(h)
    h *= 3
    return [read(), h]

== lambda of a factory
def make(t):
    return lambda: t * 1
def main():
    h = torch.ones(2)
    read = make(h)
    h *= 3
    return [read(), h]

== closures of a factory in a list
def make(t):
    def read():
        return t * 1
    return [read]
def main():
    h = torch.ones(2)
    reads = make(h)
    h *= 3
    return [reads[0](), h]

== class of a factory
def make(t):
    class Reader:
        def read(self):
            return t * 1
    return Reader()
def main():
    h = torch.ones(2)
    reader = make(h)
    h *= 3
    return [reader.read(), h]

== closure kept by a factory
READERS = []
def register(t):
    def read():
        return t * 1
    READERS.append(read)
def main():
    READERS.clear()
    h = torch.ones(2)
    done = register(h)
    h *= 3
    return [READERS[0](), h]

== context manager reads at its end
import contextlib
SEEN = []
@contextlib.contextmanager
def watch(t):
    yield
    SEEN.append(t * 1)
def main():
    SEEN.clear()
    h = torch.ones(2)
    with watch(h):
        h *= 3
    return [SEEN[0], h]

== context manager by keyword
import contextlib
SEEN = []
@contextlib.contextmanager
def watch(tensor=None):
    yield tensor
    SEEN.append(tensor * 1)
def main():
    SEEN.clear()
    h = torch.ones(2)
    with watch(tensor=h):
        h *= 3
    return [SEEN[0], h]

== context manager of a class
SEEN = []
class watch:
    def __init__(self, t):
        self.t = t
    def __enter__(self):
        return self
    def __exit__(self, *error):
        SEEN.append(self.t * 1)
def main():
    SEEN.clear()
    h = torch.ones(2)
    with watch(h):
        h *= 3
    return [SEEN[0], h]

== context manager with a name
SEEN = []
class Watch:
    def __init__(self, t):
        self.t = t
    def __enter__(self):
        return self
    def __exit__(self, *error):
        SEEN.append(self.t * 1)
def main():
    SEEN.clear()
    h = torch.ones(2)
    watching = Watch(h)
    with watching:
        h *= 3
    return [SEEN[0], h]

== generator goes on
def stream(t):
    yield t * 0
    yield t * 1
def main():
    h = torch.ones(2)
    items = stream(h)
    first = next(items)
    h *= 3
    return [first, next(items), h]

== generator method
class Source:
    def stream(self, t):
        while True:
            yield t * 1
def main():
    h = torch.ones(2)
    items = Source().stream(h)
    h *= 3
    return [next(items), h]

== generator of what an object holds
class Source:
    def __init__(self, t):
        self.t = t
    def stream(self):
        yield self.t * 1
def main():
    h = torch.ones(2)
    items = Source(h).stream()
    h *= 3
    return [next(items), h]

== coroutine runs later
import asyncio
async def read(t):
    return t * 1
def main():
    h = torch.ones(2)
    reading = read(h)
    h *= 3
    return [asyncio.run(reading), h]

== loop over a generator
def stream(t):
    for i in range(2):
        yield t * i
def main():
    h = torch.ones(2)
    seen = []
    for item in stream(h):
        seen.append(item)
        h *= 3
    return [*seen, h]

== body of a class
def main():
    h = torch.ones(2)
    class K:
        held = h
    h *= 3
    return [K.held, h]

== instance of a class whose body holds
def main():
    h = torch.ones(2)
    class K:
        held = [h]
        if held:
            other = h
    k = K()
    h *= 3
    return [k.held[0], k.other, h]

== default of a method
def main():
    h = torch.ones(2)
    class K:
        def read(self, t=h):
            return t * 1
    k = K()
    h *= 3
    return [k.read(), h]

== operators that keep
class Column:
    def __init__(self):
        self.items = []
    def __lshift__(self, t):
        self.items.append(t)
        return self
    def __add__(self, t):
        self.items.append(t)
        return self
    def __iadd__(self, t):
        self.items.append(t)
        return self
    def __contains__(self, t):
        self.items.append(t)
        return True
    def __eq__(self, t):
        self.items.append(t)
        return True
    def __getitem__(self, t):
        self.items.append(t)
        return 1
    def __radd__(self, t):
        self.items.append(t)
        return self
def main():
    c = Column()
    a, b, d, e, f, g, h = (torch.ones(2) for _ in range(7))
    c << a
    c = c + b
    c += d
    e in c
    c == f
    c[g]
    [h] + c
    a *= 2
    b *= 3
    d *= 4
    e *= 5
    f *= 6
    g *= 7
    h *= 8
    return [*c.items[:6], *c.items[6], h]

== operator hands back
class Same:
    def __or__(self, t):
        return t
def main():
    h = torch.ones(2)
    k = Same() | h
    h *= 3
    return [k, h]

== object that is called keeps
class Log:
    def __init__(self):
        self.items = []
    def __call__(self, t):
        self.items.append(t)
        return t.sum()
def main():
    log = Log()
    h = torch.ones(2)
    total = log(h)
    h *= 3
    return [log.items[0], h]

== hook is an object
SEEN = []
class Hook:
    def __init__(self, t):
        self.t = t
    def __call__(self, g):
        SEEN.append(self.t * 1)
def main():
    SEEN.clear()
    w = torch.ones(2, requires_grad=True)
    h = torch.ones(2)
    w.register_hook(Hook(h))
    h *= 3
    (w * 2).sum().backward()
    return [SEEN[0], h]

== module converted to another dtype
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2).double()
        self.b = nn.Linear(2, 2, dtype=torch.float64)
        self.c = nn.Linear(2, 2)
        self.c.to(torch.float64)
        self.d = nn.ModuleList([nn.Linear(2, 2).double()])
    def forward(self, x):
        out = []
        y = x.double()
        for part in (self.a, self.b, self.c, self.d[0]):
            h = x.sigmoid()
            h += part(y)
            out.append(h.dtype)
        h = x.sigmoid()
        h += self.a(y)
        g = x.sigmoid()
        g += self.b(y)
        k = x.sigmoid()
        k.add_(self.c(y))
        m = x.sigmoid()
        m -= self.d[0](y)
        return [torch.tensor([t.dtype == x.dtype for t in (h, g, k, m)]), torch.tensor([t == x.dtype for t in out])]
def main():
    return M()(torch.ones(1, 2))

== model converted to another dtype
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.Embedding(3, 2)
    def forward(self, x, i):
        h = x.sigmoid()
        h += self.norm(i)
        return h
def main():
    net = M().double()
    return [torch.tensor([net(torch.ones(1, 2), torch.tensor([1])).dtype == torch.float32])]

== comprehension for the writes
def main():
    ts = [torch.ones(2), torch.zeros(2)]
    [t.add_(1) for t in ts]
    done = [t.mul_(2) for t in ts]
    return ts

== lambda for the writes
def main():
    ts = [torch.ones(2), torch.zeros(2)]
    list(map(lambda t: t.add_(1), ts))
    done = tuple(map(lambda t: t.mul_(2), ts))
    return ts

== written beside and read
def main():
    h, g = torch.ones(2), torch.ones(2)
    s = torch.stack([h.clamp_(max=0.5), h])
    d = g + g.mul_(2)
    return [s, d]
"""
