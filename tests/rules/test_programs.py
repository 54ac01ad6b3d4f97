"""The programs of the catalogue do what its pages say: under PyTorch, under the linter, and under the guard."""

from __future__ import annotations

import re

import pytest
import torch

from inplace_guard import rules
from inplace_guard.analysis import analyze
from inplace_guard.rules import CATALOGUE, Rule

from .programs import marked_lines, numbers, outcome, plain, promised
from .truth import TRUTH

QUOTED = re.compile(r"```text\n(.*?)```", re.DOTALL)
TEXTS_OF = "2.13"  # the version of torch whose messages the catalogue quotes

# What a half does not report yet. Strict: an entry that is no longer true fails.
NOT_YET_STATIC: dict[str, str] = {}
NOT_YET_AT_RUN_TIME: dict[str, str] = {}

# The opinions: what they report may well be right.
HARMLESS = {"IPG901"}


def each_rule(not_yet: dict[str, str]) -> list[object]:
    return [
        pytest.param(
            rule, id=code, marks=[pytest.mark.xfail(strict=True, reason=not_yet[code])] if code in not_yet else []
        )
        for code, rule in CATALOGUE.items()
    ]


@pytest.fixture(params=CATALOGUE.values(), ids=CATALOGUE)
def rule(request: pytest.FixtureRequest) -> Rule:
    return request.param


def codes(rule: Rule) -> frozenset[str]:
    return rules.resolve() | {rule.code}


# Under PyTorch


def test_what_pytorch_says(rule: Rule) -> None:
    """The quoted text is the error, or the warning, of the `bad` program; no quote, no error and no warning."""
    bad = outcome(rule.code, "bad")
    quotes = [plain(quote) for quote in QUOTED.findall(rule.pytorch_says)]
    said = [plain(text) for text in (*bad.warned, *([bad.error] if bad.error else []))]
    if torch.__version__.startswith(TEXTS_OF):
        assert said == quotes
    else:  # other words, but the same kind
        assert [text.partition(":")[0] for text in said] == [quote.partition(":")[0] for quote in quotes]


def test_the_good_program_runs(rule: Rule) -> None:
    good = outcome(rule.code, "good")
    assert good.error is None
    assert good.warned == ()


@pytest.mark.parametrize("kind", ["bad", "good"])
def test_it_prints_what_its_comments_say(rule: Rule, kind: str) -> None:
    program = outcome(rule.code, kind)
    if program.error is None:
        comments = promised(getattr(rule, kind))
        assert comments
        assert numbers(program.printed) == pytest.approx(numbers(" ".join(comments)), abs=2e-4)
        assert ("None" in program.printed) is ("None" in " ".join(comments))
    else:
        assert not promised(getattr(rule, kind))


def test_the_bad_program_is_wrong(rule: Rule) -> None:
    bad, good = outcome(rule.code, "bad"), outcome(rule.code, "good")
    if rule.code.startswith("IPG1") or rule.code in ("IPG301", "IPG302"):
        assert bad.error is not None
    elif rule.code in HARMLESS:
        assert bad.printed == good.printed
    else:
        assert bad.error is None
        assert numbers(bad.printed) != pytest.approx(numbers(good.printed), rel=1e-2)


def test_the_good_program_is_right(rule: Rule) -> None:
    assert numbers(outcome(rule.code, "good").printed) == pytest.approx(TRUTH[rule.code]().tolist(), abs=2e-4)


# Under the linter


@pytest.mark.parametrize("rule", each_rule(NOT_YET_STATIC))
def test_the_linter_reports_the_marked_line_and_nothing_else(rule: Rule) -> None:
    found = {(finding.code, finding.write.line) for finding in analyze(rule.bad, codes=codes(rule)).findings}
    assert found == ({(rule.code, line) for line in marked_lines(rule)} if rule.static else set())


def test_the_linter_is_quiet_about_the_good_program(rule: Rule) -> None:
    assert analyze(rule.good, codes=codes(rule)).findings == []


def test_an_opinion_is_not_reported_by_default(rule: Rule) -> None:
    found = {finding.code for finding in analyze(rule.bad).findings}
    assert rule.default or rule.code not in found


# Under the guard


@pytest.mark.parametrize("rule", each_rule(NOT_YET_AT_RUN_TIME))
def test_the_guard_reports_the_marked_line_and_nothing_else(rule: Rule) -> None:
    found = {(finding.code, finding.write.line) for finding in outcome(rule.code, "bad", guarded=True).findings}
    if rule.runtime:
        assert found == {(rule.code, line) for line in marked_lines(rule)}
    else:
        assert rule.code not in {code for code, _ in found}


def test_the_guard_says_more_about_what_the_linter_thinks_likely() -> None:
    rule = CATALOGUE["IPG102"]
    found = {(finding.code, finding.write.line) for finding in outcome("IPG102", "bad", guarded=True).findings}
    assert found == {("IPG101", line) for line in marked_lines(rule)}


def test_the_guard_is_quiet_about_the_good_program(rule: Rule) -> None:
    guarded = outcome(rule.code, "good", guarded=True)
    assert guarded.findings == ()
    assert guarded == outcome(rule.code, "good")
