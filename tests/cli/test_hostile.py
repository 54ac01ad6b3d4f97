"""What a shell, a file system and a user in a hurry can do to the command line: one clear line, never a traceback."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
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


@NEEDS_BASH
def test_what_may_not_be_read(folder: Path) -> None:
    (folder / "secret").mkdir()
    for name in ("secret/a.py", "b.py"):
        (folder / name).write_text(HAZARD)
        (folder / name).chmod(0)
    (folder / "secret").chmod(0)
    # root may read everything, if it is not kept from it
    drop = "setpriv --bounding-set=-all --inh-caps=-all " if os.geteuid() == 0 else ""
    if drop and shutil.which("setpriv") is None:
        pytest.skip("root may read everything")
    done = shell(f"{drop}GUARD check --format concise .", folder)
    assert done.stdout.startswith("net.py:3:1: IPG103")
    assert done.stderr.splitlines() == [
        "secret: folder cannot be read: Permission denied",
        "b.py: cannot be read: Permission denied",
    ]
    done = shell(f"{drop}GUARD check --format concise secret/a.py", folder)
    assert done.stderr == "secret/a.py: cannot be read: Permission denied\n"
    assert done.returncode == 2


@NEEDS_BASH
@pytest.mark.parametrize("command", ["check", "check --isolated net.py", "check - < ../net.py", "diagnose ../log"])
def test_a_current_folder_that_is_gone(folder: Path, command: str) -> None:
    done = shell(f"mkdir gone && cd gone && rmdir ../gone && GUARD {command}", folder)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("Error: the current folder cannot be used: No such file")


def test_a_folder_without_python_files_is_told(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check"]) == 0
    assert capsys.readouterr().err == "no Python files or notebooks found\n"


ON_A_TERMINAL = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(
    ("environment", "styled"), [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False)]
)
def test_styles_on_a_terminal(folder: Path, environment: dict[str, str], styled: bool) -> None:
    for command in ("check net.py", "rules", "explain IPG101"):
        done = on_a_terminal(command, folder, {"COLUMNS": "120", **environment})
        assert bool(re.search("\x1b\\[[\\d;]*m", done)) is styled
        assert "IPG10" in done


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_a_narrow_terminal_loses_nothing(folder: Path) -> None:
    lines = on_a_terminal("rules", folder, {"COLUMNS": "40", "NO_COLOR": "1"})
    assert "IPG101  saved-tensor-overwritten" in lines
    frame = on_a_terminal("check net.py", folder, {"COLUMNS": "20", "NO_COLOR": "1"})
    assert "`add_` writes a leaf that requires grad with grad mode on: raises here" in frame


def on_a_terminal(command: str, folder: Path, environment: dict[str, str]) -> str:
    line = [sys.executable, "-c", ON_A_TERMINAL, sys.executable, "-m", "inplace_guard", *command.split()]
    plain = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    variables = {**plain, "TERM": "xterm", **environment}
    return subprocess.run(
        line, cwd=folder, env=variables, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    ).stdout


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
    # A shell starts what runs in the background with SIGINT ignored, and children inherit that.
    attend = "import runpy, signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    begin = "import inplace_guard.cli.check; print('begins', flush=True); "
    run = "runpy.run_module('inplace_guard', run_name='__main__', alter_sys=True)"
    command = [sys.executable, "-c", attend + begin + run, "check", "--no-cache", "--jobs", jobs, "."]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begins\n"
    time.sleep(1)
    assert process.poll() is None, "too quick to be interrupted"
    os.killpg(process.pid, signal.SIGINT)
    try:
        out, err = process.communicate(timeout=120)
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert (process.returncode, out) == (130, "")
    assert err.strip() == "inplace-guard: interrupted"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    raise AssertionError("a process is left")


@NEEDS_BASH
def test_interrupt_while_it_is_loaded(folder: Path) -> None:
    interrupted = (
        "import runpy, sys\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'inplace_guard.check': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "runpy.run_module('inplace_guard', run_name='__main__', alter_sys=True)\n"
    )
    command = [sys.executable, "-c", interrupted, "check", "net.py"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "inplace-guard: interrupted\n")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL"])
def test_workers_end_with_who_started_them(project: Path, name: str) -> None:
    block = "def f{0}(x):\n    y = x.requires_grad_().exp()\n    y += 1\n    y.sum().backward()\n"
    for number in range(8):
        (project / f"m{number}.py").write_text("import torch\n" + "".join(block.format(i) for i in range(3000)))
    command = [sys.executable, "-m", "inplace_guard", "check", "--no-cache", "--jobs", "2", "."]
    # the output is a pipe: it ends when the last of the processes does
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and len(children(process.pid)) < 2:
            time.sleep(0.05)
        assert process.poll() is None, "too quick to be ended"
        assert len(children(process.pid)) >= 2
        process.send_signal(getattr(signal, name))
        try:
            out, err = process.communicate(timeout=30)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert (process.returncode, out, err) == (-getattr(signal, name), b"", b"")


def children(pid: int) -> list[str]:
    with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{pid}/children") as file:
        return file.read().split()
    return []
