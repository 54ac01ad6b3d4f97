"""`inplace-guard tape` and `python -m minigpt_fixture tape`: formats, exit codes, one line for what is wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from inplace_guard.cli import main
from minigpt_fixture.cli import main as minigpt_main

PROGRAM = """\
import functools
import torch

W = torch.ones(8, requires_grad=True)

def loss():
    return (W * 2).exp().sum()

def overwritten():
    h = W.exp()
    loss = h.sin().sum()
    h.add_(1)
    return loss

class Model(torch.nn.Module):
    @staticmethod
    def loss():
        return loss()

def vector():
    return W * W

def needs(batch, rate=1):
    return loss()

partly = functools.partial(needs, None)
number = 3

def leaf():
    return W

def nothing():
    pass

def text():
    return "loss"

def constant():
    return torch.ones(2).sum()

def spent():
    value = loss()
    value.backward()
    return value

def fails():
    raise ValueError("no data\\nat all")

def exits():
    raise SystemExit("bye")

def output():
    from types import SimpleNamespace
    return SimpleNamespace(loss=loss())
"""


@pytest.fixture(autouse=True)
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "program", raising=False)
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


@pytest.mark.parametrize("name", ["loss", "Model.loss", "vector", "partly", "output"])
@pytest.mark.parametrize("source", ["program", "program.py"])
def test_what_can_be_named(source: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tape", f"{source}:{name}"]) == 0
    assert "AccumulateGrad of the leaves" in capsys.readouterr().out


def test_the_orders(capsys: pytest.CaptureFixture[str]) -> None:
    main(["tape", "program:loss"])
    backward = [line.split()[1] for line in capsys.readouterr().out.splitlines() if line.startswith("#")]
    main(["tape", "program:loss", "--order", "forward"])
    forward = [line.split()[1] for line in capsys.readouterr().out.splitlines() if line.startswith("#")]
    assert backward == ["SumBackward0", "ExpBackward0", "MulBackward0"] == forward[::-1]


def test_a_hazard_is_exit_code_1_and_names_the_three_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tape", "program:overwritten"]) == 1
    out = capsys.readouterr().out
    assert "backward raised at #" in out
    assert "Hint:" not in out
    for line in ("h.add_(1)", "loss = h.sin().sum()", "def overwritten():"):
        assert line in out


def test_json_and_dot(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tape", "program:loss", "--format", "json", "--order", "forward"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["kind"], document["title"]) == (1, "tape", "program:loss")
    assert document["nodes"][0]["kind"] == "MulBackward0"
    assert main(["tape", "program:loss", "--format", "dot"]) == 0
    assert capsys.readouterr().out.startswith("digraph tape {")


def test_html(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tape", "program:loss", "--html", "page.html"]) == 0
    out = capsys.readouterr().out
    assert "page.html: written" in out
    assert "#1" not in out
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")


def test_savings(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tape", "program:loss", "--savings"]) == 0
    assert "they make less than 256 bytes" in capsys.readouterr().out
    assert main(["tape", "program:loss", "--savings", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["kind"] == "savings"
    assert main(["tape", "program:loss", "--savings", "--html", "x.html"]) == 2


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("program", "'program' is not of the form module:function"),
        (":loss", "not of the form"),
        ("program:los", "program has no 'los'; is 'loss' meant?"),
        ("program:number", "program:number is a int"),
        ("program:needs", "program:needs needs arguments (batch)"),
        ("progam:loss", "there is no module 'progam'"),
        ("progam.py:loss", "progam.py: no such file"),
        ("program:leaf", "the loss has no history"),
        ("program:constant", "the loss has no history"),
        ("program:nothing", "the function returned None, not a tensor"),
        ("program:text", "the function returned a str, not a tensor"),
        ("program:spent", "the graph is freed"),
        ("program:fails", "program:fails raised ValueError: no data (program.py:"),
        ("program:exits", "program:exits raised SystemExit: bye (program.py:"),
        ("broken.py:loss", "broken.py could not be imported: SyntaxError"),
        ("raising:loss", "raising could not be imported: ZeroDivisionError"),
        ("missing:loss", "missing could not be imported: ModuleNotFoundError: No module named 'not_there'"),
    ],
)
@pytest.mark.parametrize("more", [[], ["--savings"]], ids=["tape", "savings"])
def test_one_clear_line(
    target: str, words: str, more: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken.py").write_text("def loss(:\n")
    (tmp_path / "raising.py").write_text("1 / 0\n")
    (tmp_path / "missing.py").write_text("import not_there\n")
    assert main(["tape", target, *more]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    assert words in line


@pytest.mark.parametrize("where", ["there/is/no/folder.html", "."])
def test_no_place_to_write(where: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tape", "program:loss", "--html", where]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "folder.html" in captured.err or "directory" in captured.err


@pytest.mark.skipif(os.name == "nt" or not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tape", "program:loss", "--html", "/dev/full"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line == "Error: --html: cannot write /dev/full: No space left on device"


def test_the_mini_gpt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert minigpt_main(["tape"]) == 0
    assert "119 nodes, 157 with the 38 AccumulateGrad of the leaves" in capsys.readouterr().out
    assert minigpt_main(["tape", "--break", "residual-add", "--html", "page.html"]) == 1
    assert "4 saved tensors have been OVERWRITTEN" in capsys.readouterr().out
    assert minigpt_main(["tape", "--break", "residual-add", "--fixed", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["totals"]["clobbered"] == 0
    assert minigpt_main(["tape", "--fixed"]) == 2
    assert minigpt_main(["tape", "--break", "nonsense"]) == 2
    assert minigpt_main(["tape", "--html", "no/such/folder.html"]) == 2


@pytest.mark.slow
def test_a_hundred_thousand_nodes_in_a_row(tmp_path: Path) -> None:
    (tmp_path / "deep.py").write_text(
        "import torch\n\n"
        "def loss():\n"
        "    h = x = torch.ones(4, requires_grad=True)\n"
        "    for turn in range(100_000):\n"
        "        h = h * x if turn % 10 == 0 else h + 1\n"
        "    return h.sum()\n"
    )
    command = [sys.executable, "-m", "inplace_guard", "tape", "deep:loss", "--html", "page.html"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("100001 nodes, 100002 with the 1 AccumulateGrad")
    page = (tmp_path / "page.html").read_text()
    assert len(page) < 2_000_000
    assert "Of 100,002 nodes the page shows 3,000" in page
