"""`# noqa` with the semantics of flake8: its patterns, its decision, its idea of which lines belong together."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable

from flake8.defaults import NOQA_FILE
from flake8.violation import Violation

from inplace_guard.findings import Finding

__all__ = ["is_suppressed_file", "split"]

_MENTION = re.compile("noqa", re.IGNORECASE)


def is_suppressed_file(source: str) -> bool:
    """Whether a line `# flake8: noqa` switches the whole file off."""
    return _MENTION.search(source) is not None and any(NOQA_FILE.match(line) for line in source.split("\n"))


def split(source: str, findings: Iterable[Finding]) -> tuple[list[Finding], list[Finding]]:
    """The findings that count, and those that a comment on their line hides."""
    findings = list(findings)
    if not findings or not _MENTION.search(source):
        return findings, []
    lines = io.StringIO(source).readlines()
    joined = _joined_lines(lines)
    shown: list[Finding] = []
    hidden: list[Finding] = []
    for finding in findings:
        number = finding.write.line
        own = lines[number - 1] if 0 < number <= len(lines) else ""
        violation = Violation(finding.code, "", number, 1, "", joined.get(number, own))
        (hidden if violation.is_inline_ignored(False) else shown).append(finding)
    return shown, hidden


def _joined_lines(lines: list[str]) -> dict[int, str]:
    """For each line the text in which flake8 looks for a comment: several lines where one string spans them."""
    joined: dict[int, str] = {}
    first, last = len(lines) + 2, -1
    try:
        for token in tokenize.generate_tokens(iter(lines).__next__):
            if token.type in (tokenize.ENDMARKER, tokenize.DEDENT):
                continue
            first, last = min(first, token.start[0]), max(last, token.end[0])
            if token.type in (tokenize.NL, tokenize.NEWLINE):
                text = "".join(lines[first - 1 : last])
                joined.update(dict.fromkeys(range(first, last + 1), text))
                first, last = len(lines) + 2, -1
    except (tokenize.TokenError, SyntaxError):
        return {}
    return joined
