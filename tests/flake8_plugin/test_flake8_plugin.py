"""The plugin as flake8 runs it: flake8's own command line, in this process, over files on disk."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from flake8.main import cli

from inplace_guard import flake8_plugin, rules
from inplace_guard.analysis import Analysis
from inplace_guard.findings import Finding, Site

DEFAULT = {code for code, rule in rules.CATALOGUE.items() if rule.default and rule.static}
IPG9 = {code for code, rule in rules.CATALOGUE.items() if code.startswith("IPG9") and rule.static}


class Recorder:
    """Stands in for the analysis: reports each code that it is asked for, and remembers how it was called."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []

    def __call__(self, source: str, path: str, **options: Any) -> Analysis:
        self.calls.append({"source": source, "path": path, **options})
        write = Site(path, line=2, column=1, op="add_", source="h.add_(x)")
        return Analysis(
            [Finding(code, "some-rule", "static", "certain", f"says {code}", write) for code in options["codes"]]
        )

    @property
    def codes(self) -> set[str]:
        return set(self.calls[-1]["codes"]) if self.calls else set()


@pytest.fixture
def analysis(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    recorder = Recorder()
    monkeypatch.setattr(flake8_plugin, "analyze", recorder)
    return recorder


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "model.py"
    path.write_text("import torch\nh.add_(x)\n")
    return path


def flake8(*arguments: str) -> int:
    return cli.main([*arguments, "--jobs", "1", "model.py"])


def test_line_shape(file: Path, analysis: Recorder, capsys: pytest.CaptureFixture[str]) -> None:
    assert flake8("--isolated", "--select", "IPG101") == 1
    assert capsys.readouterr().out == "model.py:2:1: IPG101 says IPG101\n"


def test_uses_the_tree_and_lines_of_flake8(
    file: Path, analysis: Recorder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parsed: list[ast.AST] = []
    real = ast.parse

    def counting(*args: Any, **kwargs: Any) -> ast.AST:
        tree = real(*args, **kwargs)
        parsed.append(tree)
        return tree

    monkeypatch.setattr(ast, "parse", counting)
    flake8("--isolated", "--select", "IPG")
    assert len(parsed) == 1
    (call,) = analysis.calls
    assert call["tree"] is parsed[0]
    assert call["source"] == file.read_text()
    assert call["path"] == "model.py"


def test_a_file_without_torch_is_not_analysed(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text("h.add_(x)\n")
    monkeypatch.setattr("inplace_guard.analysis.entries.Runner", None)
    assert flake8("--isolated", "--select", "IPG") == 0


def test_nothing_is_analysed_when_no_code_is_selected(file: Path, analysis: Recorder) -> None:
    flake8("--isolated", "--select", "E9,F63")
    flake8("--isolated", "--ignore", "IPG")
    assert not analysis.calls


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), DEFAULT),
        (("--select", "IPG"), DEFAULT),
        (("--select", "I"), DEFAULT),
        (("--extend-select", "IPG"), DEFAULT),
        (("--select", "E,IPG101"), {"IPG101"}),
        (("--select", "IPG2"), {code for code in DEFAULT if code.startswith("IPG2")}),
        (("--select", "IPG9"), IPG9),
        (("--select", "IPG902"), {"IPG902"}),
        (("--select", "IPG,IPG902"), DEFAULT | {"IPG902"}),
        (("--extend-select", "IPG9"), DEFAULT | IPG9),
        (("--select", "E", "--extend-select", "IPG901"), {"IPG901"}),
        (("--ignore", "IPG1"), {code for code in DEFAULT if not code.startswith("IPG1")}),
        (("--select", "IPG9", "--extend-ignore", "IPG902"), IPG9 - {"IPG902"}),
        (("--select", "IPG", "--extend-ignore", "IPG1", "--extend-select", "IPG101"), None),
    ],
)
def test_selection(file: Path, analysis: Recorder, arguments: tuple[str, ...], expected: set[str] | None) -> None:
    if expected is None:  # the longer prefix wins
        expected = {code for code in DEFAULT if not code.startswith("IPG1")} | {"IPG101"}
    flake8("--isolated", *arguments)
    assert analysis.codes == expected


@pytest.mark.parametrize("option", ["select", "extend-select"])
def test_selection_in_a_configuration_file(file: Path, analysis: Recorder, option: str) -> None:
    (file.parent / ".flake8").write_text(f"[flake8]\n{option} = IPG902\n")
    flake8()
    assert "IPG902" in analysis.codes
    assert "IPG901" not in analysis.codes


def test_the_selection_of_one_run_does_not_leak_into_the_next(file: Path, analysis: Recorder) -> None:
    flake8("--isolated", "--select", "IPG9")
    flake8("--isolated")
    assert analysis.codes == DEFAULT


@pytest.mark.parametrize(
    ("comment", "shown"),
    [("# noqa", False), ("# noqa: IPG101", False), ("# noqa: IPG1", False), ("# noqa: IPG201", True), ("# note", True)],
)
def test_noqa(file: Path, analysis: Recorder, comment: str, shown: bool) -> None:
    file.write_text(f"import torch\nh.add_(x)  {comment}\n")
    assert flake8("--isolated", "--select", "IPG101") == int(shown)


def test_per_file_ignores(file: Path, analysis: Recorder) -> None:
    assert flake8("--isolated", "--select", "IPG101", "--per-file-ignores", "model.py:IPG101") == 0


def test_an_internal_error_is_one_line_and_the_other_files_are_checked(
    file: Path, analysis: Recorder, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (file.parent / "broken.py").write_text("import torch\nboom\n")

    def failing(source: str, path: str, **options: Any) -> Analysis:
        if "boom" in source:
            raise RecursionError("too\ndeep")
        return analysis(source, path, **options)

    monkeypatch.setattr(flake8_plugin, "analyze", failing)
    assert cli.main(["--isolated", "--select", "IPG101", "--jobs", "1", "broken.py", "model.py"]) == 1
    out, err = capfd.readouterr()
    assert out == "model.py:2:1: IPG101 says IPG101\n"
    (line,) = err.splitlines()
    assert line.startswith("broken.py: inplace-guard: internal error (RecursionError: too deep at flake8_plugin.py:")
    assert line.endswith("it was not checked, please report it with this file")


def test_importing_the_plugin_does_not_import_torch(python_imports: Any) -> None:
    assert "torch" not in python_imports("inplace_guard.flake8_plugin")
