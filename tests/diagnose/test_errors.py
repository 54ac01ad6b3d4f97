"""Each error of PyTorch about writes and graphs: its code, its line, and what stands beside it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from inplace_guard.diagnose import Diagnosis, diagnose
from inplace_guard.rules.native_errors import AT_BACKWARD, AT_WRITE

from .failing import log_of


@dataclass(frozen=True)
class Program:
    """`text`: the line that is meant ends in `# <-`."""

    name: str
    code: str
    text: str

    @property
    def line(self) -> int:
        return next(number for number, line in enumerate(self.text.split("\n"), 1) if line.endswith("# <-"))


PROGRAMS = [
    Program(
        "leaf",
        "IPG103",
        """\
import torch
w = torch.zeros(3, requires_grad=True)
w += 1  # <-
""",
    ),
    Program(
        "leaf-in-helper",
        "IPG103",
        """\
import torch
def shrink(params):
    for p in params:
        p.mul_(0.9)  # <-
net = torch.nn.Linear(2, 2)
shrink(net.parameters())
""",
    ),
    Program(
        "view-of-leaf",
        "IPG104",
        """\
import torch
w = torch.zeros(3, requires_grad=True)
w[0] = 1  # <-
""",
    ),
    Program(
        "one-of-several-views",
        "IPG105",
        """\
import torch
x = torch.randn(4, 2, requires_grad=True) * 1
a, b = x.chunk(2)
a.relu_()  # <-
""",
    ),
    Program(
        "base-of-several-views",
        "IPG105",
        """\
import torch
x = torch.randn(4, 2, requires_grad=True) * 1
a, b = x.chunk(2)
x.mul_(2)  # <-
print(a.sum())
""",
    ),
    Program(
        "module-with-hook",
        "IPG105",
        """\
import torch
from torch import nn
net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(inplace=True))
net[1].register_full_backward_hook(lambda *args: None)
net(torch.randn(3, 2)).sum().backward()  # <-
""",
    ),
    Program(
        "expanded",
        "IPG106",
        """\
import torch
x = torch.zeros(1, 3).expand(4, 3)
x += 1  # <-
""",
    ),
    Program(
        "overlap",
        "IPG106",
        """\
import torch
x = torch.zeros(4)
x[1:] = x[:-1]  # <-
""",
    ),
    Program(
        "inference-tensor-written",
        "IPG108",
        """\
import torch
with torch.inference_mode():
    x = torch.zeros(3)
x.add_(1)  # <-
""",
    ),
    Program(
        "inference-tensor-saved",
        "IPG108",
        """\
import torch
with torch.inference_mode():
    x = torch.zeros(3)
w = torch.ones(3, requires_grad=True)
loss = (w * x).sum()  # <-
""",
    ),
    Program(
        "out",
        "IPG110",
        """\
import torch
w = torch.ones(3, requires_grad=True)
buffer = torch.zeros(3)
torch.mul(w, 2, out=buffer)  # <-
""",
    ),
    Program(
        "second-backward",
        "IPG301",
        """\
import torch
w = torch.ones(3, requires_grad=True)
loss = w.exp().sum()
loss.backward()
loss.backward()  # <-
""",
    ),
    Program(
        "state-carried-over",
        "IPG301",
        """\
import torch
from torch import nn
cell = nn.RNNCell(2, 2)
h = torch.zeros(1, 2)
for step in range(3):
    h = cell(torch.randn(1, 2), h)
    loss = h.square().sum()
    loss.backward()  # <-
""",
    ),
    Program(
        "no-graph",
        "IPG302",
        """\
import torch
net = torch.nn.Linear(2, 1)
with torch.no_grad():
    loss = net(torch.randn(3, 2)).sum()
loss.backward()  # <-
""",
    ),
    Program(
        "detached",
        "IPG303",
        """\
import torch
net = torch.nn.Linear(2, 1)
loss = net(torch.randn(3, 2)).detach().sum()
loss.backward()  # <-
""",
    ),
    Program(
        "detach-in-place",
        "IPG101",
        """\
import torch
x = torch.randn(3, requires_grad=True) * 1
y = x.tanh()
loss = (y * y).sum()
y.detach_()  # <-
loss.backward()
""",
    ),
    Program(
        "dirty-not-returned",
        "IPG109",
        """\
import torch
class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.clamp_(0)  # <-
        return x * 1
    @staticmethod
    def backward(ctx, g):
        return g
Clip.apply(torch.randn(3, requires_grad=True) * 1)
""",
    ),
    Program(
        "view-in-a-function-of-two-results",
        "IPG109",
        """\
import torch
class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.add_(1), x.clone()
    @staticmethod
    def backward(ctx, g, h):
        return g + h
Both.apply((torch.ones(4, requires_grad=True) * 1)[:2])  # <-
""",
    ),
    Program(
        "input-returned-by-a-function",
        "IPG109",
        """\
import torch
class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x
    @staticmethod
    def backward(ctx, g):
        return -g
r = Reverse.apply(torch.nn.Linear(2, 3)(torch.ones(4, 2)))
r += 1  # <-
""",
    ),
    Program(
        "pack-hook",
        "IPG213",
        """\
import torch
def pack(x):
    return x.add_(1)
x = torch.ones(4, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
    (x * 1).exp()  # <-
""",
    ),
    Program(
        "saved",
        "IPG101",
        """\
import torch
x = torch.randn(3, requires_grad=True)
y = x.sigmoid()
y *= 2  # <-
y.sum().backward()
""",
    ),
    Program(
        "stepped",
        "IPG107",
        """\
import torch
net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 1))
opt = torch.optim.Adam(net.parameters())
loss = net(torch.randn(4, 2)).sum()
loss.backward(retain_graph=True)
opt.step()  # <-
loss.backward()
""",
    ),
]


def explained(program: Program, folder: Path, anomaly: bool) -> Diagnosis:
    path = folder / "job.py"
    path.write_text(program.text)
    (diagnosis,) = diagnose(log_of(path, anomaly), folder).diagnoses
    return diagnosis


@pytest.mark.parametrize("anomaly", [False, True], ids=["plain", "anomaly"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_code_and_line(program: Program, anomaly: bool, tmp_path: Path) -> None:
    diagnosis = explained(program, tmp_path, anomaly)
    best = diagnosis.candidates[0]
    assert (best.code, best.write.line) == (program.code, program.line)
    assert diagnosis.code == program.code
    assert best.reasons
    assert diagnosis.advice


def test_all_that_is_said_can_be_filled_in() -> None:
    for known in (*AT_WRITE, *AT_BACKWARD):
        groups = ("Name",) * known.pattern.groups
        for text in (known.message, *known.fixes):
            assert "{" not in text.format(*groups, op="add_", name="x")
