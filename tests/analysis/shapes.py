"""Programs of extreme shapes."""

from __future__ import annotations

BEGIN = "import torch\nfrom torch import nn\nw = torch.randn(3, requires_grad=True)\n"
END = "w.sum().backward()\n"


def nested(head: str, depth: int, innermost: str) -> str:
    return "".join("    " * n + head.format(n) + "\n" for n in range(depth)) + "    " * depth + innermost + "\n"


def each(count: int, text: str, start: int = 0) -> str:
    """The text once for each number n, with n and the number before it (m) filled in."""
    return "".join(text.format(n=n, m=n - 1) for n in range(start, start + count))


FORWARD = "    def forward(self, x):\n        x += x.exp()\n        return x\n"

SHAPES = {
    "90 parentheses": "y = " + "(" * 90 + "w.exp()" + ")" * 90 + "\ny += 1\ny.sum().backward()\n",
    "90 lists": "y = " + "[" * 90 + "w.exp()" + "]" * 90 + "\n",
    "a sum of 300": "y = " + " + ".join(["w.exp()"] * 300) + "\n",
    "2000 minus signs": "y = " + "-" * 2000 + "w\n",
    "500 lambdas": "f = " + "lambda x: " * 500 + "x\nf(w)\n",
    "60 ifs deep": nested("if w.sum() > {}:", 60, "w = w.exp()"),
    "500 elifs": "if w.sum() > 0:\n    pass\n" + each(500, "elif w[{n}]:\n    w = w * 2\n"),
    "18 loops deep": nested("for i{} in range(k):", 18, "w = w + 1; w += w.exp()"),
    "18 whiles deep": nested("while f({}):", 18, "w = w.exp(); w += 1"),
    "18 withs deep": nested("with open('{}') as g:", 18, "w = w.exp()"),
    "18 comprehensions": "xs = [w " + each(18, "for a{n} in range(9) ") + "]\n",
    "2000 tensors and 1000 branches": each(2000, "a{n} = w.exp()\n") + each(1000, "if w[{n}]:\n    a{n} += 1\n"),
    "20,000 ops in a row": "h = w\n" + "h = h.exp()\n" * 20_000,
    "3000 writes to one tensor": "h = w * 1\n" + each(3000, "h[{n}] = w.exp()\n"),
    "1000 views written": "h = w * 1\n" + each(1000, "v{n} = h[{n}]\nv{n} += v{n}.exp()\n"),
    "a list of 10,000": f"y = [{'w.exp(), ' * 10_000}]\ny[0] += 1\nfor a in y:\n    for b in y:\n        b += a\n",
    "a dict of 5000": f"y = {{{each(5000, '{n}: w.exp(), ')}}}\nfor k in y:\n    y[k] += 1\n",
    "1000 modules": f"net = nn.Sequential({'nn.Linear(3, 3), nn.ReLU(inplace=True), ' * 500})\nnet(w)\n",
    "lists of lists": "a, b = [w], [w.exp()]\n" + "a = [a, b]\nb = [b, a]\n" * 40 + "c = a if w.sum() > 0 else b\n",
    "a list in itself": "a, b = [w], [w.exp()]\na.append(a)\nb.append(b)\nc = a if w.sum() > 0 else b\n",
    "a dict in itself": "d = {'w': w}\nd['d'] = d\nfor v in d['d'].values():\n    v += 1\n",
    "calls that double 40 times": each(40, "def f{m}(x):\n    return f{n}(x) + f{n}(x.exp())\n", start=1)
    + "def f40(x):\n    x += 1\n    return x\nf0(w)\n",
    "mutual recursion": "def a(x):\n    return b(x) + b(x) + a(x)\ndef b(x):\n    return a(x) + a(x) + b(x)\na(w)\n",
    "generators of generators": "def g0(x):\n    yield x.exp()\n    yield x\n"
    + each(15, "def g{n}(x):\n    for a in g{m}(x):\n        yield from g{m}(a)\n", start=1)
    + "for y in g15(w):\n    y += 1\n",
    "40 decorators": "def d(f):\n    def inner(*a):\n        return f(*a) + f(*a)\n    return inner\n"
    + f"{'@d' + chr(10)}" * 40
    + "def f(x):\n    return x.exp()\nf(w)\n",
    "a chain of 200 subclasses": f"class A0(nn.Module):\n{FORWARD}"
    + each(199, "class A{n}(A{m}):\n    def forward(self, x):\n        return super().forward(x)\n", start=1),
    "diamonds": "class A0(nn.Module):\n    pass\nclass B0(nn.Module):\n    pass\n"
    + each(59, "class A{n}(A{m}, B{m}):\n    pass\nclass B{n}(A{m}, B{m}):\n    pass\n", start=1)
    + f"class Z(A59):\n{FORWARD}",
    "circular bases": f"class A(B):\n{FORWARD}class B(A):\n{FORWARD}class C(C):\n{FORWARD}A()(w)\n",
    "a class of 300 methods": "class N(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    + each(100, "        self.l{n} = nn.Linear(3, 3)\n")
    + each(300, "    def m{n}(self, x):\n        x += self.l7(x)\n        x.sum().backward()\n"),
    "huge numbers": """\
n = 10 ** 10 ** 9
m = 1 << 10 ** 9
s = 'a' * 10 ** 12
xs = [w] * 10 ** 12
for i in range(10 ** 12):
    n = n * n
""",
    "names that mean nothing": """\
net[w][0:1:-1][..., None]()
w[w:w:w] += w[::0]
torch.stack(*w, dim=w)[{}].backward()
nn.Linear()()
w.view().add_()
w.split([])[5]
torch.optim.SGD().step()
a, *b, c = w.unbind()
*a, = 1, 2
for x.y[0] in w:
    x.y += 1
""",
}
