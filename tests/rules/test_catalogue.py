"""The catalogue: every entry is filled, and codes are chosen by prefix."""

from __future__ import annotations

import ast
import importlib
import re

import pytest

from inplace_guard import rules
from inplace_guard.rules import CATALOGUE, FAMILIES, Rule

from .programs import marked_lines
from .truth import TRUTH

CODE = re.compile(r"IPG\d{3}")


@pytest.fixture(params=CATALOGUE.values(), ids=CATALOGUE)
def rule(request: pytest.FixtureRequest) -> Rule:
    return request.param


def test_codes_and_names() -> None:
    assert list(CATALOGUE) == sorted(CATALOGUE)
    assert all(CODE.fullmatch(code) and rule.code == code for code, rule in CATALOGUE.items())
    assert len({rule.name for rule in CATALOGUE.values()}) == len(CATALOGUE)
    assert {code[:4] for code in CATALOGUE} == set(FAMILIES)
    assert set(TRUTH) == set(CATALOGUE)


def test_a_rule_lives_in_the_module_of_its_name(rule: Rule) -> None:
    module = importlib.import_module(f"inplace_guard.rules.{rule.name.replace('-', '_')}")
    assert module.RULE is rule


def test_every_field_is_filled(rule: Rule) -> None:
    for field in ("message", "why", "bad", "good", "safe_when", "pytorch_says", "fix_safety"):
        text = getattr(rule, field)
        assert text.strip(), field
        assert text.endswith("\n") is (field != "message"), field
    assert "\n" not in rule.message
    assert not rule.message.endswith(".")
    assert len(set(rule.hints)) == 3
    assert all(rule.hints)
    assert "https://docs.pytorch.org/" in rule.why


def test_the_programs_parse_and_the_hazard_is_marked(rule: Rule) -> None:
    ast.parse(rule.bad)
    ast.parse(rule.good)
    assert marked_lines(rule)
    assert "# <-" not in rule.good
    assert "# noqa" not in rule.bad + rule.good
    assert set(CODE.findall(rule.bad)) == {rule.code}


def test_prose_names_only_codes_that_exist(rule: Rule) -> None:
    prose = " ".join((rule.why, rule.safe_when, rule.pytorch_says, rule.fix_safety, *rule.hints))
    assert set(CODE.findall(prose)) <= set(CATALOGUE)


@pytest.mark.parametrize("wanted", ["IPG101", "ipg101", "saved-tensor-overwritten", "Saved-Tensor-Overwritten"])
def test_get(wanted: str) -> None:
    assert rules.get(wanted) is CATALOGUE["IPG101"]


def test_get_of_what_does_not_exist() -> None:
    with pytest.raises(KeyError):
        rules.get("IPG999")


@pytest.mark.parametrize(
    ("select", "ignore", "in_", "out"),
    [
        (["IPG"], [], {"IPG101", "IPG201", "IPG301"}, {"IPG901", "IPG902"}),
        (["I"], [], {"IPG101"}, {"IPG901"}),
        (["IPG9"], [], {"IPG901", "IPG902"}, {"IPG101"}),
        (["IPG", "IPG902"], [], {"IPG101", "IPG902"}, {"IPG901"}),
        (["IPG"], ["IPG2"], {"IPG101"}, {"IPG201", "IPG213"}),
        (["IPG201"], ["IPG2"], {"IPG201"}, {"IPG202"}),
        (["IPG2"], ["IPG201"], {"IPG202"}, {"IPG201"}),
        (["IPG"], ["IPG"], set(), {"IPG101"}),
        (["E"], [], set(), {"IPG101"}),
    ],
)
def test_resolve(select: list[str], ignore: list[str], in_: set[str], out: set[str]) -> None:
    codes = rules.resolve(select, ignore)
    assert in_ <= codes
    assert not out & codes


def test_the_catalogue_needs_no_torch(python_imports) -> None:  # type: ignore[no-untyped-def]
    assert "torch" not in python_imports("inplace_guard.rules")
