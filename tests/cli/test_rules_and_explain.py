"""`inplace-guard rules` and `inplace-guard explain`, and the command itself."""

from __future__ import annotations

import dataclasses
import json

import pytest

from inplace_guard import __version__, rules
from inplace_guard.cli import main

FULL = rules.Rule(
    code="IPG101",
    name="saved-tensor-overwritten",
    message="A tensor is overwritten",
    why="Because.",
    bad="h.add_(x)\n",
    good="h = h + x\n",
    safe_when="Nobody saved it.",
    pytorch_says="RuntimeError: one of the variables",
    fix_safety="Keeps the values.",
    hints=("What?", "Which?", "That."),
    fixable=True,
)


@pytest.fixture
def full_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(rules.CATALOGUE, "IPG101", FULL)


def test_rules_table_is_a_line_a_rule(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["Code", *rules.CATALOGUE]
    for line, rule in zip(lines[1:], rules.CATALOGUE.values(), strict=True):
        assert rule.name in line
        assert line.endswith(rule.message)


def test_rules_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--format", "json"]) == 0
    listed = json.loads(capsys.readouterr().out)["rules"]
    assert [rule["code"] for rule in listed] == list(rules.CATALOGUE)
    assert set(listed[0]) == {field.name for field in dataclasses.fields(rules.Rule)}


def test_rules_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--format", "markdown"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(rules.CATALOGUE) + 2
    assert len({line.replace("\\|", "").count("|") for line in lines}) == 1


@pytest.mark.parametrize("name", ["IPG101", "ipg101", "saved-tensor-overwritten"])
def test_explain(name: str, full_rule: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", name]) == 0
    text = capsys.readouterr().out
    assert text.startswith("# IPG101 saved-tensor-overwritten\n")
    for part in (FULL.why, FULL.pytorch_says, "```python\nh.add_(x)\n```", FULL.safe_when, FULL.fix_safety):
        assert part in text


@pytest.mark.parametrize("code", rules.CATALOGUE)
def test_every_rule_is_explained(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", code]) == 0
    assert rules.CATALOGUE[code].message in capsys.readouterr().out


def test_hints_go_from_soft_to_direct(full_rule: None, capsys: pytest.CaptureFixture[str]) -> None:
    for number, hint in enumerate(FULL.hints, 1):
        assert main(["explain", "IPG101", "--hint", str(number)]) == 0
        text = capsys.readouterr().out
        assert hint in text
        assert all(other not in text for other in FULL.hints if other != hint)
        assert ("--hint" in text) is (number < 3)


def test_a_rule_without_hints(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(rules.CATALOGUE, "IPG101", dataclasses.replace(FULL, hints=("", "", "")))
    assert main(["explain", "IPG101", "--hint", "1"]) == 2
    assert "has no hints" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "hint"),
    [("IPG1O1", "did you mean IPG"), ("leaf-writen", "did you mean leaf-written?"), ("xyz", "`inplace-guard rules`")],
)
def test_an_unknown_rule(name: str, hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", name]) == 2
    assert hint in capsys.readouterr().err


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"inplace-guard {__version__}\n"
    for arguments in (["--help"], ["check", "-h"], ["explain", "--help"], ["rules", "--help"]):
        assert main(arguments) == 0
        assert "Usage: inplace-guard" in capsys.readouterr().out


def test_unknown_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chekc"]) == 2
    assert "chekc" in capsys.readouterr().err


def test_shell_completion(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("_INPLACE_GUARD_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "inplace-guard explain IPG30")
    monkeypatch.setenv("COMP_CWORD", "2")
    with pytest.raises(SystemExit):
        main([])
    assert capsys.readouterr().out.split() == ["plain,IPG301", "plain,IPG302", "plain,IPG303"]
