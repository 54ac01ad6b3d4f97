"""Trying the candidates of all findings of a file: those that change different functions or classes, in one text."""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator, Mapping, Sequence

from inplace_guard.findings import Finding
from inplace_guard.fixes.checking import WHOLE, Checking, Trial
from inplace_guard.fixes.context import Proposal
from inplace_guard.fixes.text import SourceText, Unfixable, line_ends
from inplace_guard.fixes.verdict import Verdict

__all__ = ["TOO_DEEP", "Steps", "try_all"]

TOO_DEEP = Verdict.refuse("the code around it is nested too deeply")

# Gives a candidate, is told how many findings fewer there are with it (None: it is of no use), returns the choice.
Steps = Generator[Proposal, int | None, Proposal]


def try_all(
    text: SourceText,
    steps: Sequence[tuple[Finding, Steps]],
    checking: Checking | None,
    untried: Callable[[int], Proposal],
) -> list[Proposal]:
    """What the steps of each finding return; `untried` is asked instead for those that checking has no time for."""
    chosen: dict[int, Proposal] = {}
    waiting: dict[int, Proposal] = {}
    regions = _regions(text)

    def advance(number: int, answer: int | None) -> None:
        waiting.pop(number, None)
        try:
            waiting[number] = steps[number][1].send(answer)
        except StopIteration as stop:
            chosen[number] = stop.value
        except RecursionError:
            chosen[number] = Proposal("", (), TOO_DEEP)

    for number in range(len(steps)):
        advance(number, None)
    while waiting:
        assert checking is not None
        if checking.spent():
            chosen.update((number, untried(number)) for number in waiting)
            break
        for number, answer in _answers(text, _apart(text, regions, steps, waiting), waiting, checking).items():
            advance(number, answer)
    return [chosen[number] for number in range(len(steps))]


def _answers(
    text: SourceText, trials: Mapping[int, Trial], waiting: Mapping[int, Proposal], checking: Checking
) -> dict[int, int | None]:
    """Tries them in one text; in halves if that does not tell them from each other."""
    try:
        changed = text.apply([edit for number in trials for edit in waiting[number].edits])
        answers = checking.fewer(changed, _moved(text, trials, waiting))
    except Unfixable:
        answers = [None] if len(trials) == 1 else None
    if answers is not None:
        return dict(zip(trials, answers, strict=True))
    numbers = list(trials)
    found: dict[int, int | None] = {}
    for half in (numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :]):
        if not checking.spent():
            found |= _answers(text, {number: trials[number] for number in half}, waiting, checking)
    return found


def _apart(
    text: SourceText,
    regions: Mapping[int, Sequence[range]],
    steps: Sequence[tuple[Finding, Steps]],
    waiting: Mapping[int, Proposal],
) -> dict[int, Trial]:
    """The first of those that wait, and all others whose lines are not those of one before, in the file's order."""
    taken: list[tuple[int, Trial]] = []
    lines: set[int] = set()
    for number, proposal in waiting.items():
        finding = steps[number][0]
        touched = [finding.write.line]
        for edit in proposal.edits:
            touched += (text.place(edit.start)[0], text.place(max(edit.start, edit.end - 1))[0])
        fitting = [region for region in regions.get(min(touched), ()) if max(touched) in region]
        if fitting:
            region = min(fitting, key=len)
            if lines.isdisjoint(region):
                lines.update(region)
                taken.append((number, Trial(finding, region, region)))
        elif not taken:
            return {number: Trial(finding, WHOLE, WHOLE)}
    return dict(sorted(taken, key=lambda item: item[1].before.start))


def _moved(text: SourceText, trials: Mapping[int, Trial], waiting: Mapping[int, Proposal]) -> list[Trial]:
    """The trials with the lines that theirs have become."""
    moved, shift = [], 0
    for number, trial in trials.items():
        grown = sum(
            line_ends(edit.content) - line_ends(text.text[edit.start : edit.end]) for edit in set(waiting[number].edits)
        )
        if trial.before != WHOLE:
            after = range(trial.before.start + shift, trial.before.stop + shift + grown)
            trial = Trial(trial.finding, trial.before, after)
        moved.append(trial)
        shift += grown
    return moved


def _regions(text: SourceText) -> dict[int, list[range]]:
    """For each line the class or function of the file that it stands in, and the method."""
    found: dict[int, list[range]] = {}
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    for outer in text.tree.body:
        for node in (outer, *(outer.body if isinstance(outer, ast.ClassDef) else ())):
            if isinstance(node, definitions):
                assert node.end_lineno is not None
                start = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                region = range(start, node.end_lineno + 1)
                for line in region:
                    found.setdefault(line, []).append(region)
    return found
