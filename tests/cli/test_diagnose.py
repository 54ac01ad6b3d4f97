"""`inplace-guard diagnose` as a user calls it."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pytest

from inplace_guard.cli import main

PROGRAM = """\
import torch
x = torch.randn(3, requires_grad=True)
y = x.sigmoid()
y *= 2
y.sum().backward()
"""
LOG = """\
Traceback (most recent call last):
  File "/home/somebody/job/train.py", line 5, in <module>
    y.sum().backward()
  File "/env/lib/python3.11/site-packages/torch/_tensor.py", line 623, in backward
    torch.autograd.backward(
RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: \
[torch.FloatTensor [3]], which is output 0 of SigmoidBackward0, is at version 1; expected version 0 instead. Hint: \
enable anomaly detection to find the operation that failed to compute its gradient, with \
torch.autograd.set_detect_anomaly(True, check_nan=False).
"""


@pytest.fixture
def job(project: Path) -> Path:
    (project / "train.py").write_text(PROGRAM)
    (project / "job.log").write_text(LOG)
    return project


def test_text(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", "job.log"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = out.splitlines()
    assert lines[0].startswith("error[IPG101]: backward needs a tensor as it was when it was saved")
    assert lines[2:6] == [
        "  1. train.py:4:1: very likely",
        "       y *= 2",
        "     - sigmoid on line 3 saved its result, in the memory that is written here",
        "     - the tensor came from sigmoid, as the error says (Sigmoid)",
    ]
    assert "  tensor    torch.FloatTensor of shape [3], output 0 of Sigmoid" in lines
    assert "  versions  saved at version 0, found at version 1; 1 write since" in lines
    assert "  backward  train.py, line 5:  y.sum().backward()" in lines
    assert lines[-1].startswith("  - to be sure: `inplace-guard run train.py`")


def test_json(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", "job.log", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == 1
    (diagnosis,) = document["diagnoses"]
    assert diagnosis["code"] == "IPG101"
    error = diagnosis["error"]
    assert (error["shape"], error["op"], error["version"], error["expected_version"]) == ([3], "Sigmoid", 1, 0)
    first = diagnosis["candidates"][0]
    assert (first["write"]["path"], first["write"]["line"], first["likelihood"]) == ("train.py", 4, "very likely")
    assert first["saved"]["line"] == 3
    assert diagnosis["raised"]["line"] == 5


def test_standard_input(job: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LOG.encode())))
    assert main(["diagnose", "-"]) == 0
    assert "train.py:4" in capsys.readouterr().out


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "latin-1"])
def test_encodings(job: Path, encoding: str, capsys: pytest.CaptureFixture[str]) -> None:
    (job / "job.log").write_bytes(("Ladevorgang für Ü\n" + LOG).encode(encoding))
    assert main(["diagnose", "job.log"]) == 0


def test_root(job: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    elsewhere = job / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert main(["diagnose", "../job.log"]) == 1
    out = capsys.readouterr().out
    assert "No line of the local source could be named." in out
    assert "--root" in out
    assert main(["diagnose", "../job.log", "--root", ".."]) == 0
    assert f"{job / 'train.py'}:4" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "job.log: the log is empty"),
        ("all went well\n", "job.log: no traceback and no error of PyTorch"),
        (LOG.partition("RuntimeError")[0], "ends without its error"),
    ],
)
def test_nothing_to_explain(job: Path, text: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    (job / "job.log").write_text(text)
    assert main(["diagnose", "job.log"]) == 1
    assert words in capsys.readouterr().err
    assert main(["diagnose", "job.log", "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["diagnoses"] == []
    assert document["problems"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["diagnose"], "Missing argument"),
        (["diagnose", "none.log"], "none.log: cannot be read: No such file or directory"),
        (["diagnose", "."], ".: is no file"),
        (["diagnose", "job.log", "--root", "none"], "none is no folder"),
        (["diagnose", "job.log", "--format", "xml"], "'xml' is not one of"),
    ],
)
def test_wrong_usage(job: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert words in err
    assert out == ""


def test_only_the_end_of_a_very_long_log_is_read(
    job: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with (job / "job.log").open("wb") as file:
        file.seek(200_000_000)  # a sparse file
        file.write(b"\n" + LOG.encode())
    monkeypatch.setattr("inplace_guard.diagnose.reading._MOST", 100_000)
    assert main(["diagnose", "job.log"]) == 0
    assert "train.py:4" in capsys.readouterr().out


def test_it_does_not_import_torch(job: Path, python_imports) -> None:  # type: ignore[no-untyped-def]
    assert "torch" not in python_imports("inplace_guard.diagnose")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`inplace-guard diagnose <(command)`."""
    read, write = os.pipe()
    os.write(write, LOG.encode())
    os.close(write)
    assert main(["diagnose", f"/dev/fd/{read}"]) == 0
