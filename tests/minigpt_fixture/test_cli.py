"""The command line, as a user meets it."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from minigpt_fixture.cli import main
from minigpt_fixture.registry import BREAKS


def run(*args: str, **kwargs: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "minigpt_fixture", *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **kwargs)  # type: ignore[call-overload]


def test_train_then_compare(tmp_path: Path) -> None:
    trained = run("train", "--break", "none", "--steps", "20", "--out", "A", cwd=tmp_path)
    assert trained.returncode == 0, trained.stderr
    assert "step 20/20  loss" in trained.stdout
    assert "held out: loss" in trained.stdout
    assert "\033" not in trained.stdout
    assert "\r" not in trained.stdout
    silent = run("train", "--break", "data-add", "--steps", "1", "--out", "C", cwd=tmp_path)
    assert silent.returncode == 0
    assert "no error was raised" in silent.stdout
    compared = run("grad-compare", "A", "C", cwd=tmp_path)
    assert compared.returncode == 1
    assert compared.stderr == ""
    rows = compared.stdout.splitlines()
    assert rows[0].split() == ["parameter", "norm", "A", "norm", "B", "max", "diff", "cosine", "verdict"]
    assert len([r for r in rows if r.endswith("missing") and r.startswith("blocks.")]) == 32
    assert rows[-1] == "38 parameters, A = A, B = C: 4 equal, 2 different, 32 missing"
    assert run("grad-compare", "A", "A", cwd=tmp_path).returncode == 0


def test_a_break_that_raises(tmp_path: Path) -> None:
    result = run("train", "--break", "residual-add", "--out", "B", cwd=tmp_path)
    assert result.returncode == 1
    assert "modified by an inplace operation" in result.stdout
    assert "the break is residual-add" in result.stdout
    assert "h.add_(self.attn(self.ln1(h)))" in result.stdout
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("error: backward raised at step 1 (break residual-add)")
    assert "Traceback" not in result.stdout + result.stderr


def test_anomaly_mode_shows_the_line_that_saved(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["train", "--break", "residual-add", "--detect-anomaly", "--out", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    stack = out[out.index("anomaly mode adds") : out.index("the break is")]
    assert "NativeLayerNormBackward0" in stack
    assert "residual_add.py" in stack
    assert "site-packages/torch" not in stack


def test_traceback_on_request(tmp_path: Path) -> None:
    result = run("train", "--break", "exp-saved", "--traceback", "--out", "B", cwd=tmp_path)
    assert result.returncode == 1
    assert "Traceback (most recent call last)" in result.stderr


def test_list_names_every_break_with_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    out = capsys.readouterr().out
    for entry in BREAKS.values():
        assert f"{entry.name}  {entry.outcome}" in out
        for line, text in zip(entry.lines, entry.writes, strict=True):
            assert f"{entry.file.name}:{line}: {text}" in out


def test_help_teaches() -> None:
    result = run("--help")
    assert result.returncode == 0
    for word in (
        "train",
        "grad-compare",
        "list",
        "claims",
        "damage",
        "reference",
        "lesson",
        "--detect-anomaly",
        "A first walk",
    ):
        assert word in result.stdout


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["train", "--break", "nope", "--out", "X"], "there is no break 'nope'"),
        (["train", "--fixed", "--out", "X"], "nothing to fix in the control"),
        (["train", "--steps", "0", "--out", "X"], "0 is not between 1 and"),
        (["train", "--steps", "many", "--out", "X"], "'many' is not a whole number"),
        (["train", "--seed", "-1", "--out", "X"], "-1 is not between 0 and"),
        (["train", "--seed", str(2**80), "--out", "X"], "is not between 0 and"),
        (["train"], "the following arguments are required: --out"),
        (["train", "--steps", "1", "--out", "file/below"], "cannot write to file/below"),
        (["grad-compare", "nowhere", "nowhere"], "no such folder: nowhere"),
        (["grad-compare", "--rtol", "-1", "a", "b"], "-1 is not a tolerance"),
        (["claims", "--update", "nowhere.md"], "cannot read nowhere.md"),
        (["claims", "--update", "file"], "the document needs the markers"),
        (["damage", "--update", "nowhere.md"], "cannot read nowhere.md"),
        (["reference"], "docs/reference-case.md is not there: run this from a clone"),
        (["reference", "--docs", "file"], "file/reference-case.md is not there"),
        (["lesson", "check"], "there is no lesson in minigpt-lesson"),
        (["lesson", "--dir", "file/below"], "cannot write to file/below"),
        ([], "the following arguments are required: COMMAND"),
    ],
)
def test_bad_input_is_one_clear_line_and_exit_2(
    args: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("")
    try:
        code = main(args)
    except SystemExit as exit_:
        code = exit_.code
    assert code == 2
    err = capsys.readouterr().err
    assert message in err.splitlines()[-1]
    assert "Traceback" not in err


WITHOUT = "import sys; sys.modules[{name!r}] = None; from minigpt_fixture.cli import main; sys.exit(main({args!r}))"


@pytest.mark.parametrize("name", ["safetensors", "torch"])
@pytest.mark.parametrize("args", [["train", "--out", "X"], ["grad-compare", "X", "Y"]], ids=["train", "grad-compare"])
def test_without_a_package_it_says_how_to_install(name: str, args: list[str], tmp_path: Path) -> None:
    code = WITHOUT.format(name=name, args=args)
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert result.returncode == 2
    expected = (
        f"error: the reference case needs {name}, which is not installed: pip install 'inplace-guard[reference]'\n"
    )
    assert result.stderr == expected
    assert not list(tmp_path.iterdir())


def test_importing_listing_and_help_do_not_import_torch() -> None:
    code = (
        "import sys, minigpt_fixture.pytest_fixtures; from minigpt_fixture.cli import main; main(['list']);"
        "assert 'torch' not in sys.modules and 'numpy' not in sys.modules"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_a_reader_that_stops_early(tmp_path: Path) -> None:
    result = subprocess.run(
        f"{sys.executable} -m minigpt_fixture list | head -1", shell=True, capture_output=True, text=True
    )
    assert "Traceback" not in result.stderr
    assert "BrokenPipe" not in result.stderr


def test_a_terminal_gets_a_bar(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "minigpt_fixture", "train", "--steps", "5", "--out", str(tmp_path / "A")]
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, env={**os.environ, "TERM": "xterm"}) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                chunk = os.read(ours, 4096)
            except OSError:
                break
            if not chunk:
                break
            shown += chunk
        assert process.wait(timeout=120) == 0
    assert b"5/5" in shown
    assert b"held out" in shown
