"""Rewrites of in-place writes to their out-of-place form. Built on libcst, loaded only where a file has findings.

A fix is "safe" where it gives the same values and the right gradients as far as the file shows, "unsafe" where a person
has to look, and "none" where it would be wrong or cannot be written down. docs/fixes.md tells how that is judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from inplace_guard.findings import Finding
from inplace_guard.fixes.checking import WHOLE, Checking, Trial
from inplace_guard.fixes.plan import Plan, plan
from inplace_guard.fixes.text import Edit, SourceText, Unfixable

__all__ = ["WHOLE", "Checking", "FixResult", "Refusal", "Trial", "annotate", "fix_source"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A finding that was left as it is, and why."""

    finding: Finding
    reason: str


@dataclass(frozen=True, slots=True)
class FixResult:
    """The new bytes; they are the old ones if nothing was fixed. `changes` are lines before and after: all others are
    as they were."""

    source: bytes
    fixed: tuple[Finding, ...] = ()
    refused: tuple[Refusal, ...] = ()
    changes: Sequence[tuple[range, range]] = ((WHOLE, WHOLE),)


def fix_source(
    source: bytes, findings: Sequence[Finding], *, unsafe: bool = False, checking: Checking | None = None
) -> FixResult:
    """Fixes the findings of one file: those of this very text, without those that a noqa comment hides.

    With `checking`, fixes are tried, also such as stand elsewhere than the write.
    """
    if not findings:
        return FixResult(source)
    try:
        text = SourceText(source)
    except Unfixable as error:
        return FixResult(source, (), tuple(Refusal(finding, str(error)) for finding in findings))
    refused: list[Refusal] = []
    wanted: list[Plan] = []
    for item in plan(text, findings, checking):
        reason = _refusal(item, unsafe)
        if reason is None:
            wanted.append(item)
        else:
            refused.append(Refusal(item.finding, reason))
    kept, clashing = _together(text, wanted)
    edits = _edits(kept)
    fixed = tuple(item.finding for item in kept)
    return FixResult(text.apply(edits), fixed, (*refused, *clashing), text.changes(edits))


def _together(text: SourceText, wanted: Sequence[Plan]) -> tuple[Sequence[Plan], list[Refusal]]:
    """All these fixes, if they go together; else each that goes with those before it."""
    try:
        SourceText(text.apply(_edits(wanted)))
        return wanted, []
    except Unfixable:
        pass
    kept: list[Plan] = []
    refused: list[Refusal] = []
    for item in wanted:
        try:
            SourceText(text.apply(_edits([*kept, item])))
            kept.append(item)
        except Unfixable as error:
            refused.append(Refusal(item.finding, f"together with the other fixes: {error}"))
    return kept, refused


def _edits(plans: Sequence[Plan]) -> list[Edit]:
    return [edit for item in plans if item.proposal is not None for edit in item.proposal.edits]


def annotate(source: bytes, findings: Sequence[Finding], *, checking: Checking | None = None) -> list[Finding]:
    """The findings with their `fix` filled in.

    It says "applicability", "reason" (why it is not safe, or None), and, where there is something to do, "description"
    and "edits": places in the file that do not touch each other, columns counted in characters from 1, and the text to
    put there.
    """
    if not findings:
        return []
    try:
        text = SourceText(source)
    except Unfixable as error:
        return [replace(finding, fix={"applicability": "none", "reason": str(error)}) for finding in findings]
    return [replace(item.finding, fix=_describe(text, item)) for item in plan(text, findings, checking)]


def _refusal(item: Plan, unsafe: bool) -> str | None:
    if item.proposal is None or item.verdict.applicability == "none":
        return item.verdict.reason
    if item.verdict.applicability == "unsafe" and not unsafe:
        return f"{item.verdict.reason} (--unsafe-fixes makes the change)"
    return None


def _describe(text: SourceText, item: Plan) -> dict[str, Any]:
    fix: dict[str, Any] = {"applicability": item.verdict.applicability, "reason": item.verdict.reason or None}
    if item.proposal is None or item.verdict.applicability == "none":
        return fix
    fix["description"] = item.proposal.description
    fix["edits"] = []
    for edit in _joined(item.proposal.edits):
        (line, column), (end_line, end_column) = text.place(edit.start), text.place(edit.end)
        fix["edits"].append(
            {"line": line, "column": column, "end_line": end_line, "end_column": end_column, "content": edit.content}
        )
    return fix


def _joined(edits: Sequence[Edit]) -> list[Edit]:
    """In order, and apart from each other: it must not matter in which order a reader makes those that touch."""
    joined: list[Edit] = []
    for edit in sorted(set(edits)):
        if joined and joined[-1].end == edit.start:
            last = joined.pop()
            edit = Edit(last.start, edit.end, last.content + edit.content)
        joined.append(edit)
    return joined
