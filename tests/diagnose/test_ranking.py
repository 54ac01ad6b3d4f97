"""What decides between writes that are all possible."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from inplace_guard.diagnose import Candidate, diagnose

from .failing import log_of


def best(tmp_path: Path, program: str, monkeypatch: pytest.MonkeyPatch, log: str = "", **files: str) -> Candidate:
    """The first candidate for a program that fails; its log can be another."""
    monkeypatch.chdir(tmp_path)
    for name, text in files.items():
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(text))
    (tmp_path / "job.py").write_text(textwrap.dedent(program))
    monkeypatch.syspath_prepend(tmp_path)
    log = log or log_of(tmp_path / "job.py", anomaly=False)
    (diagnosis,) = diagnose(log, tmp_path).diagnoses
    return diagnosis.candidates[0]


@pytest.mark.parametrize(
    ("write", "named"),
    [
        ("b.clamp_(0)", "Clamp"),
        ("b.fill_(1)", "Fill"),
        ("b[:, 0] = 1", "CopySlices"),
        ("b.copy_(c)", "CopyBackwards"),
        ("b -= 1", "Sub"),
    ],
)
def test_of_an_input_the_error_names_the_op_that_wrote_last(
    write: str, named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""\
    import torch

    net = torch.nn.Linear(3, 3)
    a, b, c = net(torch.ones(2, 3)), net(torch.ones(2, 3)), net(torch.ones(2, 3))
    out = b * b
    {write}
    loss = (out + b).sum()
    d = net(torch.ones(2, 3))
    e = d * d
    d.mul_(2)
    loss = loss + d.sum()
    loss.backward()
    """
    first = best(tmp_path, program, monkeypatch)
    assert first.write.line == 6
    assert any(named in reason for reason in first.reasons)


LORA = """\
import torch
from torch import nn
from lora import wrap, merge

net = wrap(nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 2)))
opt = torch.optim.Adam([p for p in net.parameters() if p.requires_grad])
for i in range(2):
    loss = net(torch.randn(3, 4)).pow(2).sum()
    opt.zero_grad()
    merge(net)
    loss.backward()
    opt.step()
"""
LAYER = """\
import torch
from torch import nn


class Lora(nn.Module):
    def __init__(self, base):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.a = nn.Parameter(torch.randn(2, base.in_features))
        self.b = nn.Parameter(torch.randn(base.out_features, 2))

    def merge(self):
        with torch.no_grad():
            self.base.weight += self.b @ self.a

    def forward(self, x):
        return self.base(x) + x @ self.a.t() @ self.b.t()


def wrap(net):
    for name, child in net.named_children():
        if isinstance(child, nn.Linear):
            setattr(net, name, Lora(child))
    return net


def merge(net):
    for module in net.modules():
        if isinstance(module, Lora):
            module.merge()
"""


def test_a_step_after_which_the_forward_runs_again_is_not_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = best(tmp_path, LORA, monkeypatch, lora=LAYER)
    assert (first.write.path, first.write.line) == ("lora.py", 14)


ENGINE = """\
import torch


def scale(x):
    y = x.sigmoid()
    y *= 2
    return y


def run(step):
    loss = step()
    loss.backward()
"""
OWN = """\
import torch
from engine import run, scale

net = torch.nn.Linear(4, 3)


def step():
    y = net(torch.ones(2, 4)).sigmoid()
    y.mul_(3)
    return y.sum()


run(step)
"""


def test_the_program_comes_before_its_libraries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = tmp_path / "lib" / "site-packages"
    library.mkdir(parents=True)
    (library / "engine.py").write_text(ENGINE)
    monkeypatch.syspath_prepend(library)
    first = best(tmp_path, OWN, monkeypatch)
    assert (first.write.path, first.write.line) == ("job.py", 9)

    own = OWN.replace("y = net(torch.ones(2, 4)).sigmoid()\n    y.mul_(3)", "y = scale(net(torch.ones(2, 4)))")
    first = best(tmp_path, own, monkeypatch)
    assert (Path(first.write.path).name, first.write.line) == ("engine.py", 6)


def test_code_that_was_formatted_since(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = """\
Traceback (most recent call last):
  File "/elsewhere/job.py", line 33, in <module>
    run( step )
  File "/elsewhere/job.py", line 29, in step
    y = net(torch.ones( 2,4 )).sigmoid()   # the scores
RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: \
[torch.FloatTensor [2, 3]], which is output 0 of SigmoidBackward0, is at version 1; expected version 0 instead.
"""
    first = best(tmp_path, OWN, monkeypatch, log)
    assert (first.write.path, first.write.line, first.likelihood) == ("job.py", 9, "very likely")


def test_an_error_alone_says_little(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation."
    program = "import torch\nw = torch.ones(3, requires_grad=True)\nw += 1\n"
    first = best(tmp_path, program, monkeypatch, text)
    assert (first.write.line, first.likelihood) == (3, "likely")
    first = best(tmp_path, program, monkeypatch, text, another=program)
    assert (first.write.line, first.likelihood) == (3, "possible")


def test_several_ranks_without_a_mark_are_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = "import torch\n\n\ndef main():\n    w = torch.ones(3, requires_grad=True)\n    w += 1\n\n\nmain()\n"
    (tmp_path / "job.py").write_text(program)
    lines = log_of(tmp_path / "job.py", anomaly=False).splitlines()
    monkeypatch.chdir(tmp_path)
    for cut in range(1, len(lines)):
        log = [*lines[:cut], *lines[:-1], *lines[cut:], lines[-1]]
        (diagnosis,) = diagnose("\n".join(log), tmp_path).diagnoses
        assert diagnosis.candidates[0].write.line == 6
        assert diagnosis.failure.times == 2


def test_of_a_traceback_only_the_part_in_libraries_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "job.py").write_text(
        "import torch\nx = torch.nn.Linear(2, 3)(torch.ones(4, 2)).sigmoid()\nx += 1\nx.sum().backward()\n"
    )
    monkeypatch.chdir(tmp_path)
    log = """\
  File "/env/lib/python3.11/site-packages/accelerate/accelerator.py", line 2861, in backward
    loss.backward(**kwargs)
  File "/env/lib/python3.11/site-packages/torch/_tensor.py", line 623, in backward
    torch.autograd.backward(
RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: \
[torch.FloatTensor [4, 3]], which is output 0 of Sigmoid, is at version 1; expected version 0 instead.
"""
    (diagnosis,) = diagnose(log, tmp_path).diagnoses
    first = diagnosis.candidates[0]
    assert (first.write.path, first.write.line, first.likelihood) == ("job.py", 3, "likely")
    assert "upper part of the traceback" in diagnosis.missing[0]
