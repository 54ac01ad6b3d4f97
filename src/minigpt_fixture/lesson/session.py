"""What the subcommand `lesson` does: shows a step, gives a hint, checks the learner's fix. It never asks for input."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from minigpt_fixture.errors import UsageError
from minigpt_fixture.lesson import DEFAULT_FOLDER, workspace
from minigpt_fixture.lesson.runner import Outcome, run_file
from minigpt_fixture.lesson.steps import STEPS, WIDTH, grouped, render, short, unusable
from minigpt_fixture.lesson.workspace import START, Workspace

__all__ = ["lesson"]

HINTS = {
    "residual-add": (
        "What changes the version of a tensor?",
        "Search the model for methods that end in an underscore. Who read the same tensor shortly before?",
        "It is the residual add. The layer norm still needs the value from before the sum, so the sum needs memory of "
        "its own.",
    )
}


def lesson(folder: Path, action: str | None, *, step: int | None, break_name: str | None, number: int | None) -> int:
    """The exit code: 0, or 1 if a check finds the file not right yet. Raises UsageError."""
    work = workspace.visit(folder)
    if work is None:
        if action is not None:
            raise UsageError(f"there is no lesson in {folder}: begin with `{START}`")
        work = _begin(folder, break_name or "residual-add")
    elif break_name not in (None, work.break_name):
        raise UsageError(f"the lesson in {folder} is about {work.break_name}: give another --dir for {break_name}")
    if action == "check":
        return _check(work)
    if action == "hint":
        _hint(work, number)
    elif action == "reset":
        _reset(work)
    else:
        _show(work, step or min(work.step + (action == "next"), len(STEPS)))
    return 0


def _begin(folder: Path, break_name: str) -> Workspace:
    work = workspace.start(folder, break_name)
    text = (
        f"Wrote {work.file}, part of a mini-GPT that does not train as it should. From the symptom to the fix in "
        f"{len(STEPS)} steps; each runs the file as it is now, so edit it when you like."
    )
    print(textwrap.fill(text, WIDTH))
    for action, what in (
        ("next", "the next step; --step N any step"),
        ("check", "is it right now?"),
        ("hint", "three hints, from soft to direct"),
        ("reset", "hand the file out again"),
    ):
        print(f"  {_command(work, action):{len(_command(work, 'check'))}}  {what}")
    print()
    return work


def _command(work: Workspace, action: str) -> str:
    where = "" if work.folder == Path(DEFAULT_FOLDER) else f" --dir {work.folder}"
    return f"{START}{where} {action}"


def _show(work: Workspace, number: int) -> None:
    work.source()  # so that a file that is gone is one clear line
    print(render(work, number))
    work.step = number
    work.save()
    if number < len(STEPS):
        print(f"\nNext, {STEPS[number].title.lower()}: {_command(work, 'next')}")
    elif not work.solved:
        print(f"\nThe end of the ladder. Is the file right? {_command(work, 'check')}")
    elif work.break_name != "data-add":
        print(f"\nThe end. The same ladder where nothing is raised: {START} --dir minigpt-silent --break data-add")
    else:
        print("\nThe end.")


def _hint(work: Workspace, number: int | None) -> None:
    hints = HINTS.get(work.break_name) or _hints_of_rule(work.entry.code or "")
    number = number or min(work.hints + 1, len(hints))
    print(textwrap.fill(f"Hint {number} of {len(hints)}: {hints[number - 1]}", WIDTH))
    work.hints = max(work.hints, number)
    work.save()


def _hints_of_rule(code: str) -> tuple[str, ...]:
    from inplace_guard.rules import CATALOGUE

    return CATALOGUE[code].hints


def _reset(work: Workspace) -> None:
    kept = workspace.reset(work)
    print(f"Wrote {work.file} anew" + (f"; yours is kept as {kept}" if kept else "") + ".")


def _check(work: Workspace) -> int:
    work.source()
    if work.untouched():
        print(f"Not yet: {work.file} is still the program that was handed out.")
        print(f"Where to look: {_command(work, 'next')}")
        return 1
    out = run_file("check", work.break_name, work.file)
    work.solved = out.kind == "right"
    work.save()
    if out.printed.strip():
        rows = out.printed.strip().splitlines()
        print("The file printed:")
        print(textwrap.indent("\n".join(rows[:20] + ["..."] * (len(rows) > 20)), "  "))
    if work.solved:
        print("Right. Two steps with two seeds: the loss and every gradient are those of the control.")
        print(
            f"Last, what the version counter is for: {START}{_command(work, '')[len(START) : -1]} --step {len(STEPS)}"
        )
        return 0
    print("\n".join(textwrap.wrap("Not yet. " + _verdict(work, out), WIDTH, break_long_words=False)))
    return 1


def _verdict(work: Workspace, out: Outcome) -> str:
    answer = out.answer
    if out.kind == "raises":
        return f"Backward still raises: {short(answer['message'])}. {_moved(work, answer['message'])}"
    if out.kind == "loss":
        return (
            f"Something else has changed: at step {answer['step']} the loss is {answer['loss']:.4f}, and the control's "
            f"is {answer['right']:.4f}. The model should compute what it did before; only where the result is written "
            "may change."
        )
    if out.kind == "gradients":
        parts = [
            f"{len(answer[key])} {words} ({grouped(answer[key], answer['parameters'])})"
            for key, words in (("missing", "are missing"), ("differing", "differ"))
            if answer[key]
        ]
        return (
            f"Nothing is raised, but of {len(answer['parameters'])} gradients {' and '.join(parts)}. The forward pass "
            "is right. Something that backward reads is not what it was, or autograd was not told of it."
        )
    return unusable(out)


def _moved(work: Workspace, message: str) -> str:
    """Whether the versions in the message are those of the file as it was handed out."""
    pattern = r"is at version \d+; expected version \d+"
    handed_out = run_file("check", work.break_name, work.entry.file)
    first = re.search(pattern, handed_out.answer.get("message", ""))
    now = re.search(pattern, message)
    if first and now and first[0] != now[0]:
        return f"At the start it said `{first[0]}`: something has changed, and a write is left."
    return "The versions are those of the start: a write to something saved is still there."
