"""`inplace-guard check` as a user calls it."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from inplace_guard.analysis import Analysis
from inplace_guard.cli import main

HAZARD = "import torch\nh.add_(x)  # HAZARD\n"

pytestmark = pytest.mark.usefixtures("marked_lines")


def make(root: Path, **texts: str) -> None:
    for name, text in texts.items():
        (root / f"{name}.py").write_text(text)


def feed(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_clean(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make(project, a="import torch\n")
    assert main(["check"]) == 0
    out, err = capsys.readouterr()
    assert out == "No findings; 1 file checked.\n"
    assert err == ""


def test_findings(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make(project, a=HAZARD)
    assert main(["check", "a.py"]) == 1
    out, _ = capsys.readouterr()
    assert out.splitlines() == [
        "error[IPG101]: overwritten",
        " --> a.py:2:1",
        "  |",
        "1 | import torch",
        "  | ------ saved here",
        "2 | h.add_(x)  # HAZARD",
        "  | ^^^^^^^^^ written here by add_",
        "  |",
        "  = fix: none is made: `h` is not a variable of this function",
        "  = help: inplace-guard explain IPG101",
        "",
        "1 finding (1 certain, 0 likely) in 1 file; 1 file checked.",
    ]


def test_concise_lines_are_those_of_flake8(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make(project, a=HAZARD)
    assert main(["check", "--format", "concise"]) == 1
    assert capsys.readouterr().out == "a.py:2:1: IPG101 overwritten\n"


@pytest.mark.parametrize(
    ("arguments", "code", "count"),
    [
        (["--exit-zero"], 0, 1),
        (["--select", "IPG2,IPG3"], 0, 0),
        (["--select", "IPG2", "--select", "saved-tensor-overwritten"], 1, 1),
        (["--ignore", "IPG1"], 0, 0),
        (["--ignore", "IPG1", "--select", "IPG101"], 1, 1),
        (["--select", "IPG3", "--extend-select", "ipg1"], 1, 1),
        (["--exclude", "*.py"], 0, 0),
        (["--extend-exclude", "b.py, a.py"], 0, 0),
        (["--jobs", "2"], 1, 1),
        (["--no-cache"], 1, 1),
    ],
)
def test_options(
    project: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, count: int
) -> None:
    make(project, a=HAZARD)
    assert main(["check", "--format", "json", *arguments]) == code
    assert len(json.loads(capsys.readouterr().out)["findings"]) == count


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--format", "xml"], "'xml' is not one of"),
        (["--select", "E501"], "'E501' is no rule or family of rules"),
        (["--jobs", "0"], "--jobs"),
        (["--jbos", "1"], "No such option"),
        (["-", "a.py"], "cannot be mixed"),
        (["--stdin-filename", "a.py"], "needs the path -"),
        (["--config", "none.toml"], "none.toml: cannot be read"),
    ],
)
def test_wrong_usage(project: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    make(project, a=HAZARD)
    assert main(["check", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert "Traceback" not in err


def test_configuration(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "sub").mkdir()
    make(project / "sub", a=HAZARD, b=HAZARD)
    (project / "pyproject.toml").write_text(
        '[tool.inplace_guard]\nformat = "concise"\n[tool.inplace_guard.per-file-ignores]\n"sub/a.py" = ["IPG1"]\n'
    )
    assert main(["check", "sub"]) == 1
    assert capsys.readouterr().out == "sub/b.py:2:1: IPG101 overwritten\n"
    assert (project / ".inplace_guard_cache").is_dir()
    assert main(["check", "sub", "--isolated", "--format", "json"]) == 1
    assert len(json.loads(capsys.readouterr().out)["findings"]) == 2


def test_a_wrong_key_is_named_and_nothing_is_checked(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make(project, a=HAZARD)
    (project / "pyproject.toml").write_text("[tool.inplace_guard]\nexclud = []\n")
    assert main(["check"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    (line,) = err.splitlines()
    assert line.endswith("pyproject.toml: [tool.inplace_guard]: unknown key 'exclud'; did you mean 'exclude'?")


def test_bad_input_is_one_line_each_and_the_rest_is_checked(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make(project, a=HAZARD, syntax="import torch\nx = (\n", crash="import torch  # CRASH\n")
    (project / "null.py").write_bytes(b"import torch\0\n")
    (project / "bytes.py").write_bytes(b"import torch\n# \xff\n")
    assert main(["check", "--format", "concise", ".", "missing.py"]) == 2
    out, err = capsys.readouterr()
    assert out == "a.py:2:1: IPG101 overwritten\n"
    assert [line.partition(": ")[0] for line in err.splitlines()] == [
        "missing.py",
        "bytes.py:2",
        "crash.py",
        "null.py:1",
        "syntax.py:2:5",
    ]


def test_problems_are_in_the_documents_too(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make(project, syntax="import torch\nx = (\n")
    assert main(["check", "--format", "json"]) == 2
    assert json.loads(capsys.readouterr().out)["problems"][0]["path"] == "syntax.py"
    assert main(["check"]) == 2
    assert capsys.readouterr().out == "No findings; 0 files checked, 1 could not be.\n"


@pytest.mark.parametrize("format_", ["json", "sarif", "gitlab"])
def test_standard_output_holds_the_document_alone(
    project: Path, capsys: pytest.CaptureFixture[str], format_: str
) -> None:
    make(project, a=HAZARD)
    assert main(["check", "--format", format_, "--statistics", "--verbose"]) == 1
    out, err = capsys.readouterr()
    json.loads(out)
    assert "     1  IPG101 saved-tensor-overwritten" in err


def test_statistics(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make(project, a=HAZARD, b=HAZARD * 2)
    assert main(["check", "--statistics", "--format", "concise"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "     3  IPG101 saved-tensor-overwritten"


def test_verbose(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make(project, a=HAZARD + "h.x()  # HAZARD # noqa\n", plain="x = 1\n")
    (project / "build").mkdir()
    assert main(["check", "-v", "--format", "concise"]) == 1
    err = capsys.readouterr().err
    assert "settings: the defaults" in err
    assert "skipped build: excluded by the exclude setting" in err
    assert "plain.py: neither mentions torch nor imports files of the project that do: not analysed" in err
    assert "1 finding hidden by noqa comments" in err
    assert main(["check", "-v", "--format", "concise"]) == 1
    assert "2 of them from the cache" in capsys.readouterr().err


def test_stdin(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    feed(monkeypatch, HAZARD.replace("\n", "\r\n").encode())
    assert main(["check", "-"]) == 1
    out = capsys.readouterr().out
    assert " --> <stdin>:2:1\n" in out
    assert "1 | import torch\n" in out


def test_stdin_under_a_name(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "pyproject.toml").write_text('[tool.inplace_guard.per-file-ignores]\n"old/" = ["IPG1"]\n')
    (project / "old").mkdir()
    feed(monkeypatch, HAZARD.encode())
    assert main(["check", "-", "--stdin-filename", "old/net.py"]) == 0
    feed(monkeypatch, HAZARD.encode())
    assert main(["check", "-", "--stdin-filename", "new.py", "--format", "concise"]) == 1
    assert capsys.readouterr().out.endswith("new.py:2:1: IPG101 overwritten\n")


def test_stdin_under_an_excluded_name(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As with a file: left out only if the excludes are forced; what --fix was given comes out again."""
    for name, options, code in (("build/net.py", [], 1), ("build/net.py", ["--force-exclude"], 0)):
        feed(monkeypatch, HAZARD.encode())
        assert main(["check", "-", "--stdin-filename", name, "--format", "concise", *options]) == code
        capsys.readouterr()
    feed(monkeypatch, HAZARD.encode())
    assert main(["check", "-", "--stdin-filename", "build/net.py", "--force-exclude", "--fix", "-v"]) == 0
    out, err = capsys.readouterr()
    assert out == HAZARD
    assert "skipped build/net.py: excluded by the exclude setting" in err


def test_a_notebook(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = [{"cell_type": "code", "source": text} for text in ("import torch", "y = 1\nh.add_(y)  # HAZARD")]
    (project / "net.ipynb").write_text(json.dumps({"cells": cells}))
    assert main(["check"]) == 1
    out = capsys.readouterr().out
    assert " --> net.ipynb:cell 2:2:1\n" in out
    assert "2 | h.add_(y)  # HAZARD\n" in out


def test_no_escape_codes_and_no_progress_bar_in_a_pipe(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make(project, a=HAZARD)
    main(["check"])
    out, err = capsys.readouterr()
    assert "\x1b" not in out
    assert err == ""


def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "inplace_guard", *arguments]
    return subprocess.run(command, capture_output=True, check=False, **options)


def test_as_a_process(project: Path) -> None:
    make(project, a="import torch\nx = (\n")
    process = run("check")
    assert process.returncode == 2
    assert process.stdout == b"No findings; 0 files checked, 1 could not be.\n"
    assert process.stderr.startswith(b"a.py:2:5: cannot be parsed")


def test_a_reader_that_goes_away_is_no_traceback(project: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    process = subprocess.run(
        [sys.executable, "-m", "inplace_guard", "rules", "--format", "json"],
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(write)
    assert b"Traceback" not in process.stderr
    assert b"Exception ignored" not in process.stderr


def test_names_and_text_that_the_terminal_cannot_show(project: Path) -> None:
    (project / "é\udcff.py").write_text("import torch\nx = (\n")
    process = run("check", env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert process.returncode == 2
    assert b"Traceback" not in process.stderr
    assert process.stderr.startswith(b"\\xe9\\udcff.py:2:5: ")


def test_does_not_import_torch(python_imports: Any) -> None:
    assert not {"torch", "numpy", "libcst"} & python_imports("inplace_guard.cli")


def test_what_was_not_analysed_to_the_end_is_told(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make(project, a="import torch\n")
    notes = ["f: stopped after 60000 steps, the rest of it was not analysed"]
    monkeypatch.setattr("inplace_guard.check.file.analyze", lambda *args, **options: Analysis([], notes))
    for _ in range(2):  # the second time from the cache
        assert main(["check"]) == 0
        out, err = capsys.readouterr()
        assert out == "No findings; 1 file checked.\n"
        assert err == "1 function could not be analysed to the end; --verbose says which, and why\n"
    assert main(["check", "--verbose"]) == 0
    assert "a.py: f: stopped after 60000 steps" in capsys.readouterr().err
