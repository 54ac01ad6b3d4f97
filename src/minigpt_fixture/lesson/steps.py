"""The steps of the ladder. Each says what to look for, and shows what the learner's file does as it is now."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from minigpt_fixture.lesson.runner import Outcome, lint, run_file
from minigpt_fixture.lesson.workspace import START, Workspace
from minigpt_fixture.registry import get
from minigpt_fixture.show import own_frames

__all__ = ["STEPS", "WIDTH", "Step", "grouped", "render", "short", "unusable"]

WRITES = re.compile(r"[A-Za-z0-9]_\(|[-+*/]= ")
WIDTH = 100


@dataclass(frozen=True)
class Step:
    """`intro` comes before what `run` finds out about the file, which says itself what to make of it."""

    title: str
    intro: str
    run: Callable[[Workspace], str]


def _symptom(work: Workspace) -> str:
    out = run_file("train", work.break_name, work.file)
    if out.kind == "raises":
        return (
            "Yours: backward raised at the first step. Nothing was trained.\n\n"
            "The forward pass went through, and so did the loss. What is wrong shows only in backward, far from its "
            "cause."
        )
    if out.kind != "trained":
        return unusable(out)
    yours, control = out.answer["yours"], out.answer["control"]
    rows = [
        f"{name:8} first loss {run['first']:.4f}, then held-out loss {run['loss']:.3f}, accuracy {run['accuracy']:.1%}"
        for name, run in (("yours:", yours), ("control:", control))
    ]
    if abs(yours["loss"] - control["loss"]) <= 1e-3:
        says = "The same: there is no symptom any more."
    else:
        says = (
            "Nothing was raised and the loss falls. The first losses agree, so the forward pass is right; what is "
            "learnt is not the same. Seen alone, nobody would look twice at yours."
        )
    return "\n".join(rows) + f"\n\n{says}"


def _message(work: Workspace) -> str:
    out = run_file("gradients", work.break_name, work.file)
    if out.kind == "compared":
        return (
            "No message: backward passes. Either nothing is wrong, or PyTorch was not told of the write. The version "
            "counter moves only with writes that go through PyTorch's own operations on that tensor."
        )
    if out.kind != "raises":
        return unusable(out)
    message = out.answer["message"]
    tensor, made_by, versions = r"(\[[^\]]*?\[.*?\]\])", r"(output \d+ of \w+)", r"(version \d+; expected version \d+)"
    parts = re.search(f"{tensor}, which is {made_by}, is at {versions}", message)
    notes = []
    if parts:
        notes = [
            f"{parts[1]}: the type and the shape of the tensor. Which ones in the model have it?",
            f"{parts[2]}: the operation that made its present value. It need not be the one that saved it.",
            f"{parts[3]}: each write to the memory counts one up. It was saved at the second number.",
        ]
    said = textwrap.indent(textwrap.fill(message, WIDTH), "  ")
    notes = [textwrap.fill(note, WIDTH, initial_indent="  - ", subsequent_indent="    ") for note in notes]
    return (
        f"PyTorch says:\n{said}\n\n" + "\n".join(notes) + "\n\nIt does not say which line wrote, nor which line saved."
    )


def _anomaly(work: Workspace) -> str:
    out = run_file("anomaly", work.break_name, work.file)
    if out.kind == "passed":
        return "Anomaly mode has nothing to add: it explains an error of backward, and there is none."
    if out.kind != "raises":
        return unusable(out)
    stack = textwrap.indent(own_frames(out.answer["stack"] or "(nothing)"), "  ")
    return (
        f"Anomaly mode adds:\n{stack}\n\n"
        "The last lines of it are the forward call whose backward failed: the one that SAVED the tensor. The write "
        "came after it. Who wrote is still open."
    )


def _search(work: Workspace) -> str:
    rows = (work.source() or "").splitlines()
    found = [f"{work.file}:{i}: {row.strip()}" for i, row in enumerate(rows, 1) if WRITES.search(row)]
    linted = lint(work.file)
    parts = [
        "Methods that end in an underscore, and augmented assignments, found by their spelling:",
        textwrap.indent("\n".join(found) or "(none)", "  "),
        "Spelling cannot tell which of them hurt. The linter follows who saved what "
        f"(`inplace-guard check {work.file}`):",
        textwrap.indent(linted or "(no finding)", "  "),
    ]
    return "\n".join(parts)


def _compare(work: Workspace) -> str:
    out = run_file("gradients", work.break_name, work.file)
    if out.kind == "compared":
        return _verdicts(out)
    if out.kind != "raises":
        return unusable(out)
    text = "There is nothing to compare: backward raised before the gradients were complete."
    if work.break_name != "residual-add":
        return text
    other = run_file("gradients", "data-add", get("data-add").file)
    return (
        f"{text}\n\nA colleague makes the error go away: `h.data.add_(...)` in both lines. Backward passes, and the "
        "loss of the first step is the same to the last digit. The comparison of that version:\n\n" + _verdicts(other)
    )


def _verdicts(out: Outcome) -> str:
    missing, differing, names = (out.answer[key] for key in ("missing", "differing", "parameters"))
    equal = [name for name in names if name not in {*missing, *differing}]
    rows = [
        f"{len(names)} parameters: {len(equal)} equal, {len(differing)} different, {len(missing)} without a gradient"
    ]
    for word, group in (("no gradient", missing), ("different", differing), ("equal", equal)):
        if group:
            rows.append(
                textwrap.fill(f"{word}: {grouped(group, names)}", WIDTH, initial_indent="  ", subsequent_indent="    ")
            )
    if missing or differing:
        rows.append("\nThat settles it: the first step goes the wrong way, although nothing was raised.")
    else:
        rows.append("\nThe gradients are right.")
    return "\n".join(rows)


def _guard(work: Workspace) -> str:
    out = run_file("guard", work.break_name, work.file)
    if out.kind != "guarded":
        return unusable(out)
    if not out.answer["findings"]:
        return "The guard has nothing to report."
    rows = []
    for finding in out.answer["findings"]:
        rows.append(f"{finding['code']} {finding['message']}")
        for word, key in (("wrote", "write"), ("saved", "saved"), ("needed", "needed")):
            if site := finding[key]:
                rows.append(f"  {word:6} {Path(site['path']).name}:{site['line']}: {_statement(site)}")
    return (
        "\n".join(rows) + "\n\nFor each hazard: who wrote, who saved, who needed it. (The guard also says what to "
        "write instead; the lesson leaves that to you.)"
    )


def _statement(site: dict[str, str]) -> str:
    inside = f"  (in {site['module']})" if site.get("module") else ""
    return site["source"].partition("  #")[0] + inside


def _fix(work: Workspace) -> str:
    return (
        f"Edit {work.file} and run `{START} check`. It trains two steps with two seeds and compares every gradient "
        f"with the right one.\nStuck? `{START} hint` gives three hints, from soft to direct."
    )


def _by_hand(work: Workspace) -> str:
    from minigpt_fixture import handbreak

    control = handbreak.run()
    silent = handbreak.run(in_place=True, check_versions=False)
    counted = handbreak.run(in_place=True)
    wrong = handbreak.differing(silent, control)
    return (
        f"out of place:              loss {control.loss:.6f}, gradients as PyTorch's\n"
        f"in place, counter ignored: loss {silent.loss:.6f}, no error, {len(wrong)} of {len(control.gradients)} "
        f"gradients wrong: {', '.join(wrong)}\n"
        f"in place, counter checked: {counted.error}\n\n"
        "That is what the counter is for: without it the tape would read the new value and go on. It costs one number "
        "a tensor and one comparison a save. It sees the writes that it is told of, and no others: that is where the "
        "silent breaks come from."
    )


STEPS = (
    Step(
        "Symptom",
        "Train with the file, and with the control beside it: 300 steps, the same weights and data.",
        _symptom,
    ),
    Step("Message", "Read the error to its end before changing anything.", _message),
    Step("Anomaly mode", "torch.autograd.detect_anomaly() remembers the forward call of every node.", _anomaly),
    Step("Search", "Which lines write in place at all?", _search),
    Step(
        "Gradient comparison",
        "When nothing is raised, only the gradients can tell: the first step of the file against that of the control.",
        _compare,
    ),
    Step("Guard", "The same step under `inplace_guard.guard()`.", _guard),
    Step("Fix", "You know the line that wrote and the line that saved. Keep what was saved as it was.", _fix),
    Step(
        "By hand",
        "What is the version counter for? A tape of about a hundred lines (minigpt_fixture/handtape.py) runs a "
        "residual block with the same break.",
        _by_hand,
    ),
)


def render(work: Workspace, number: int) -> str:
    step = STEPS[number - 1]
    head = f"Step {number} of {len(STEPS)}: {step.title}"
    body = "\n".join(_wrapped(step.run(work).splitlines()))
    return f"{head}\n{'-' * len(head)}\n{textwrap.fill(step.intro, WIDTH)}\n\n{body}"


def _wrapped(rows: Iterable[str]) -> Iterable[str]:
    """Prose is filled; what is indented or belongs to a file or a table stays as it is."""
    for row in rows:
        if len(row) <= WIDTH or row.startswith(" "):
            yield row
        else:
            yield from textwrap.wrap(row, WIDTH, break_long_words=False, break_on_hyphens=False)


def grouped(names: Iterable[str], every: Iterable[str]) -> str:
    """In their order; of a module whose parameters are all among the names, its own name once."""
    chosen = dict.fromkeys(names)
    partly = {name.rpartition(".")[0] for name in every if name not in chosen}
    short = (name if (module := name.rpartition(".")[0]) in partly else module for name in chosen)
    return ", ".join(dict.fromkeys(short))


def unusable(out: Outcome) -> str:
    """What stands in the way of running the file at all."""
    answer, kind = out.answer, out.kind
    where = f" at line {answer['line']}: {answer['text'].strip()}" if answer.get("line") else ""
    match kind:
        case "syntax":
            text = f"Python cannot read the file: {answer['message']}{where}"
        case "error":
            text = f"The file runs into an error: {answer['message']}{where}"
        case "class":
            text = f"The file has no class {answer['name']} of its own any more: keep its name, and write it there."
        case "parameters":
            said = {"missing": "gone", "added": "new", "reshaped": "of another shape"}
            changes = [f"{word}: {', '.join(answer[key])}" for key, word in said.items() if answer[key]]
            text = f"The model has other parameters than before ({'; '.join(changes)}). Only the write needs to change."
        case "raises":
            text = f"Backward raises: {short(answer['message'])}"
        case "timeout":
            text = f"The file was still running after {answer['seconds']:.0f} seconds and was stopped."
        case "crash":
            text = f"Python ended with code {answer['code']} before it was done."
        case _:
            raise ValueError(f"no words for {kind}")
    return text


def short(message: str) -> str:
    """PyTorch's message without the hint at its end."""
    return message.partition(" Hint: ")[0].rstrip(".")
