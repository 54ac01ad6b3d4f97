"""What a shell, a file system and a user in a hurry can do to the command line: one clear line, never a traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from inplace_guard.cli import main

HAZARD = "import torch\nx = torch.zeros(2, requires_grad=True)\nx += 1\n"
NEEDS_BASH = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A line for bash, in which GUARD is the program."""
    return subprocess.run(
        ["bash", "-c", line.replace("GUARD", f"'{sys.executable}' -m inplace_guard")],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture
def folder(project: Path) -> Path:
    (project / "net.py").write_text(HAZARD)
    return project


@NEEDS_BASH
@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("GUARD check - <&-", 2, "standard input (-) is closed"),
        ("GUARD diagnose - <&-", 2, "standard input (-) is closed"),
        ("GUARD check net.py >&-", 1, ""),
        ("GUARD check --format json net.py >&-", 1, ""),
        ("GUARD check net.py nothing.py 2>&-", 2, ""),
        ("GUARD rules >&-", 0, ""),
        ("GUARD explain IPG101 >&-", 0, ""),
        ("GUARD check net.py | head -n 1; exit ${PIPESTATUS[0]}", (1, 141), ""),
        ("GUARD rules --format json | true; exit ${PIPESTATUS[0]}", (0, 1, 141), ""),
    ],
)
def test_streams(folder: Path, line: str, code: int | tuple[int, ...], words: str) -> None:
    done = shell(line, folder)
    assert done.returncode in (code if isinstance(code, tuple) else (code,)), done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("command", ["check net.py", "check --format sarif net.py", "rules", "explain IPG101"])
def test_a_full_disk(folder: Path, command: str) -> None:
    done = shell(f"GUARD {command} > /dev/full", folder)
    assert done.returncode == 2
    assert done.stderr == "inplace-guard: the output cannot be written: No space left on device\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "--select", ""], "names no rule"),
        (["check", "--select", " , "], "names no rule"),
        (["check", ""], "a PATH is empty"),
        (["explain", "IPG3"], "IPG3 is a family of rules; name one of IPG301, IPG302, IPG303"),
        (["explain", ""], "`inplace-guard rules` lists them"),
        (["chek"], "No such command 'chek'"),
    ],
)
def test_wrong_arguments(folder: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert words in err
    assert out == ""


def test_no_rule_left_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--ignore", "IPG", "net.py"]) == 0
    assert capsys.readouterr().err == "no rule is selected: nothing is looked for\n"


def test_a_fault_of_ours_is_one_line_and_not_exit_code_1(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*args: object) -> None:
        raise KeyError("nothing")

    monkeypatch.setattr("inplace_guard.report.rulebook.catalogue_json", fail)
    assert main(["rules", "--format", "json"]) == 2
    _, err = capsys.readouterr()
    assert err.startswith("inplace-guard: internal error (KeyError: 'nothing'")
    assert err.count("\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows does not allow such names")
def test_names_with_control_characters_are_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "new\nline\x1b[31m.py").write_text(HAZARD)
    (folder / "bad\nname.py").write_text("import torch\nx = (\n")
    assert main(["check", "--format", "concise", "."]) == 2
    out, err = capsys.readouterr()
    assert [line.partition(":")[0] for line in out.splitlines()] == ["net.py", r"new\nline\x1b[31m.py"]
    assert err.startswith(r"bad\nname.py:2:")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "secret").mkdir(mode=0)
    assert main(["check", "--format", "concise", "."]) == 2
    out, err = capsys.readouterr()
    assert out.startswith("net.py:3:1: IPG103")
    assert err == "secret: folder cannot be read: Permission denied\n"


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_interrupt(project: Path, jobs: str) -> None:
    """Ctrl-C goes to the whole group of processes; one line is left, and no process."""
    loops = "".join(f"{' ' * (8 + depth)}for _ in x:\n" for depth in range(12))
    for number in range(4):
        body = "".join(
            f"class M{i}(torch.nn.Module):\n    def forward(self, x):\n{loops}{' ' * 20}x = x.exp()\n"
            f"{' ' * 20}x.add_(1)\n        return x\n"
            for i in range(60)
        )
        (project / f"m{number}.py").write_text(f"import torch\n{body}")
    command = [sys.executable, "-m", "inplace_guard", "check", "--no-cache", "--jobs", jobs, "."]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    time.sleep(1.5)
    assert process.poll() is None, "too quick to be interrupted"
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (130, "")
    assert err.strip() == "inplace-guard: interrupted"
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    raise AssertionError("a process is left")
