"""Random programs over a few 3x3 tensors, and what PyTorch and the linter say about each.

Left out is what hangs on shapes and values, which the linter does not know (`reshape` of a transposed square, `expand`
to the size it has, the branch that data picks), and ops that refuse to read the memory that they write.
"""

from __future__ import annotations

import random
import re
import warnings
from dataclasses import dataclass

from inplace_guard.analysis import analyze

BEGIN = """\
import torch
from torch import nn
import torch.nn.functional as F
w = torch.rand(3, 3, requires_grad=True)
p = nn.Parameter(torch.rand(3, 3))
x = torch.rand(3, 3)
mask = torch.tensor([[True, False, True], [False, True, False], [True, True, False]])
rows = torch.tensor([2, 0, 1])
a = w * 1.5
b = x + 0.5
c = w.square() + 1
def bump(t, by=1):
    t += by
    return t
def act(t, f=torch.sigmoid):
    return f(t)
def maybe(t, flag):
    if flag:
        return t
    return t * 2
def pair(t):
    u = t.exp()
    return u, t + 1
class Box:
    def __init__(self, t):
        self.t = t
    def grow(self):
        self.t = self.t + self.t.sin()
        return self.t
    def write(self):
        self.t += self.t.cos()
        return self.t
lin, norm, sig, gelu = nn.Linear(3, 3), nn.LayerNorm(3), nn.Sigmoid(), nn.GELU()
relu, drop = nn.ReLU(inplace=True), nn.Dropout(0.5, inplace=True)
deep = nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True), nn.Linear(3, 3))
chain = nn.Sequential(nn.Linear(3, 3), nn.Tanh())
frozen = nn.Linear(3, 3).requires_grad_(False)
"""
MODULES = ("lin", "norm", "sig", "gelu", "relu", "drop", "deep", "chain", "frozen")
CALLS = ("bump({a})", "act({a})", "act({a}, F.gelu)", "act({a}, lambda t: t * 2)", "maybe({a}, True)",
         "maybe({a}, False)", "pair({a})[0]", "pair({a})[1]")  # fmt: skip

# {a}, {b}, {c}: tensors. What they give is 3x3, or broadcasts to it.
NEW = (
    """
{a}.relu()|{a}.exp()|{a}.sin()|{a}.sigmoid()|{a}.tanh()|{a}.abs()|{a}.square()|{a}.neg()|{a}.clone()|{a}.cumsum(0)
{a}.log1p()|{a}.softmax(0)|{a}.cos()|{a}.sqrt()|{a}.rsqrt()|{a}.reciprocal()|{a}.erf()|{a}.atan()|{a}.floor()
{a}.sign()|{a}.flip(0)|{a}.roll(1)|{a}.triu()|{a}.tril()|{a}.pow(3)|{a}.clamp(0.1, 2)|{a}.round()|{a}.log_softmax(0)
{a}.cumprod(0)|{a}.expm1()|{a}.asinh()|{a}.nan_to_num()|{a}.masked_fill(mask, 0.5)|{a}.index_select(0, rows)
{a}.logsumexp(0, keepdim=True) * x|{a}.std(0, keepdim=True) + x|{a}.norm(dim=0, keepdim=True) + x|{a}[rows]
{a}.amax(0, keepdim=True) * x|{a}.prod(0, keepdim=True) * x|{a}.mean(0, keepdim=True) * x|{a}.detach()
F.gelu({a})|F.silu({a})|F.elu({a})|F.softplus({a})|F.leaky_relu({a})|F.hardtanh({a})|F.selu({a})|F.mish({a})
F.logsigmoid({a})|F.layer_norm({a}, (3,))|F.normalize({a}, dim=0)|F.embedding(rows, {a})|F.softsign({a})
{a} + {b}|{a} - {b}|{a} * {b}|{a} / ({b} + 3)|{a} @ {b}|{a} * 2|{a} + 1|1 / ({a} + 3)|2 - {a}|{a} ** 2
torch.maximum({a}, {b})|torch.where({a} > 0, {a}, {b})|torch.lerp({a}, {b}, 0.3)|torch.addcmul({a}, {b}, {c})
torch.atan2({a}, {b})|F.mse_loss({a}, {b}, reduction='none')|F.linear({a}, {b})|torch.addmm({a}, {b}, {c})
torch.einsum('ij,jk->ik', {a}, {b})|torch.cat([{a}, {b}])[:3]|torch.stack([{a}, {b}]).sum(0)|torch.hypot({a}, {b})
F.smooth_l1_loss({a}, {b}, reduction='none')|{a}.addcdiv({b}, {c} + 5)|torch.outer({a}[0], {b}[0])|torch.cdist({a}, {b})
torch.bmm({a}[None], {b}[None])[0]|F.kl_div({a}, {b}, reduction='none')|F.dropout({a}, 0.5)
""".replace("\n", "|")
    .strip("|")
    .split("|")
)

VIEWS = (
    """
{a}|{a}.t()|{a}.view(3, 3)|{a}.reshape(3, 3)|{a}[:]|{a}.transpose(0, 1)|{a}.unsqueeze(0)[0]|{a}.view(9).view(3, 3)
{a}.T|{a}.flatten().view(3, 3)|{a}.squeeze()|{a}.view_as({b})|{a}.narrow(0, 0, 3)|{a}.permute(1, 0)|{a}.detach()
{a}.swapaxes(0, 1).contiguous()|{a}.contiguous()
""".replace("\n", "|")
    .strip("|")
    .split("|")
)

WRITES = (
    """
{a}.add_(1)|{a} += {b}|{a} *= {b}|{a} -= 0.1|{a} /= 2|{a}.mul_(2)|{a}.relu_()|{a}.exp_()|{a}.sigmoid_()|{a}.tanh_()
{a}.zero_()|{a}.copy_({b})|{a}.clamp_(0.1, 2)|{a}.neg_()|{a}.sin_()|{a}.div_({b}.detach() + 5)|{a}.pow_(2)
{a}.fill_(0.5)|{a}.masked_fill_(mask, 0.5)|{a}.addcmul_({b}, {c})|{a}.lerp_({b}, 0.5)|{a}[0] = 1.0|{a}[:, 1] += 1
{a}[1:] *= 2|{a}.diagonal().mul_(2)|{a}.t()[0].add_(1)|{a}[mask] = 0.3|{a}[rows] = 0.2|F.relu({a}, inplace=True)
F.silu({a}, inplace=True)|F.elu({a}, inplace=True)|F.leaky_relu({a}, inplace=True)|{a}.addmm_({b}, {c})
{a}.sub_({b})|{a}.abs_()|{a}.sqrt_()|{a}.square_()|{a}.triu_()|{a}.cumsum_(0)|{a}.detach().add_(1)|{a}.clip_(0, 1)
{a}.view(-1)[0] = 0.7|{a}.log1p_()|{a}.erf_()|{a}.floor_()|{a}.reciprocal_()|{a}.mul_({a})|{a}.add_({a})|{a} *= {a}
{a} += {a}.sin()|F.dropout({a}, 0.5, True, inplace=True)|{a}.index_fill_(0, rows, 0.3)|{a}.renorm_(2, 0, 1.0)
{a}.sub_({b}, alpha=2)|{a}.addcdiv_({b}, {c} + 5)|{a}.bernoulli_()|{a}.normal_()|{a}.remainder_(1.5)|{a}.expm1_()
""".replace("\n", "|")
    .strip("|")
    .split("|")
)

REFUSED = {
    "IPG103": "a leaf Variable",
    "IPG104": "a view of a leaf",
    "IPG105": "is a view and",
    "IPG106": "more than one element of the written-to tensor",
}


class Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.names = ["w", "p", "x", "a", "b", "c"]

    def name(self) -> str:
        """Any tensor; leaves seldom."""
        return self.rng.choice(self.names if self.rng.random() < 0.2 else self.names[2:])

    def written(self) -> str:
        """A tensor to write; a leaf hardly ever, since the program ends there."""
        return self.rng.choice(self.names[:2] if self.rng.random() < 0.01 else self.names[3:])

    def target(self) -> str:
        name = self.rng.choice("abcdefg")
        if name not in self.names:
            self.names.append(name)
        return name

    def fill(self, pattern: str, target: str = "") -> str:
        return pattern.format(a=target or self.name(), b=self.name(), c=self.name())

    def value(self) -> str:
        return self.fill(self.rng.choice(VIEWS if self.rng.random() < 0.25 else NEW))

    def write(self) -> str:
        return self.fill(self.rng.choice(WRITES), self.written())

    def statement(self) -> list[str]:
        kind = self.rng.randrange(26)
        if kind < 9:
            value = self.value()
            return [f"{self.target()} = {value}"]
        if kind < 16:
            return [self.write()]
        if kind == 16:
            return ["with torch.no_grad():", "    " + self.write()]
        if kind == 17:
            module, name = self.rng.choice(MODULES), self.name()
            return [f"{self.target()} = {module}({name})"]
        if kind == 18:
            call = self.fill(self.rng.choice(CALLS), self.written())
            return [f"{self.target()} = {call}"]
        if kind == 19:
            first = f"xs = [{self.written()}, {self.written()}]"
            return [first, f"xs[{self.rng.choice('01')}] += 1", f"{self.target()} = xs[{self.rng.choice('01')}]"]
        if kind == 20:
            first = f"table = {{'k': {self.written()}}}"
            second = self.rng.choice(("table['k'].mul_(2)", "table['k'] = table['k'] * 2"))
            return [first, second, f"{self.target()} = table['k']"]
        if kind == 21:
            return ["for _ in range(2):", *["    " + self.write() for _ in range(self.rng.randint(1, 2))]]
        if kind == 22:
            return [f"if {self.rng.choice(('True', 'False'))}:", "    " + self.write(), "else:", "    " + self.write()]
        if kind == 23:
            first = f"box = Box({self.written()})"
            return [first, *[f"{self.target()} = box.{self.rng.choice(('grow', 'write'))}()" for _ in range(2)]]
        if kind == 24:
            first = f"xs = [{self.name()}.sin(), {self.written()}]"
            inner = self.rng.choice(("t.mul_(2)", "t += 1", "t = t + 1"))
            return [first, "for t in xs:", "    " + inner, f"{self.target()} = xs[-1] + xs[0]"]
        value = self.value()
        return ["try:", "    " + self.write(), "finally:", f"    {self.target()} = {value}"]

    def program(self) -> list[str]:
        lines = [line for _ in range(self.rng.randint(2, 9)) for line in self.statement()]
        used = self.rng.sample(self.names[3:], self.rng.randint(1, 2))
        return [*lines, "loss = p.sum() + " + " + ".join(f"{name}.sum()" for name in used), "loss.backward()"]


@dataclass(frozen=True)
class Verdict:
    kind: str  # "" if both say the same
    text: str = ""
    valid: bool = True
    raised: bool = False


def judge(lines: list[str]) -> Verdict:
    """Compare what PyTorch does with what the linter says."""
    source = BEGIN + "\n".join(lines) + "\n"
    error, line = None, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = compile(source, "program.py", "exec")
        try:
            exec(code, {})
        except Exception as raised:
            error, trace = str(raised), raised.__traceback__
            while trace is not None:
                line = trace.tb_lineno if trace.tb_frame.f_code.co_filename == "program.py" else line
                trace = trace.tb_next
    findings = [finding for finding in analyze(source).findings if finding.code.startswith("IPG1")]
    told = "\n".join(f"{f.write.line}: {f.code} ({f.certainty}) {f.message}" for f in findings) or "nothing"
    body = "\n".join(f"{n:3} {text}" for n, text in enumerate(source.splitlines(), 1) if n > BEGIN.count("\n"))
    text = f"{body}\nPyTorch: {error or 'runs'} (line {line})\nThe linter: {told}"
    if error is None:
        codes = sorted({finding.code for finding in findings})
        return Verdict(f"runs, but {', '.join(codes)}" if codes else "", text)
    if re.search("modified by an inplace operation|was modified inplace", error):
        hit = any(f.code == "IPG101" for f in findings)
        return Verdict("" if hit else "raises in backward, not reported", text, raised=True)
    for rule, words in REFUSED.items():
        if error.startswith(words) or (rule in ("IPG105", "IPG106") and words in error):
            # A composite op writes a leaf through a view of it.
            alike = ("IPG103", "IPG104") if rule in ("IPG103", "IPG104") else (rule,)
            hit = any(f.code in alike and f.write.line == line for f in findings)
            return Verdict("" if hit else f"refuses a write ({rule}), not reported", text, raised=True)
    return Verdict("", text, valid=False)


def smallest(lines: list[str], kind: str) -> list[str]:
    """Leave out what the disagreement does not need."""
    for number in reversed(range(len(lines) - 1)):
        fewer = lines[:number] + lines[number + 1 :]
        try:
            still = judge(fewer).kind == kind
        except SyntaxError:  # the line was all that a block had
            continue
        if still:
            return smallest(fewer, kind)
    return lines
