"""The generated tables of docs/reference-case.md: made from the live model, and put between markers in the file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from minigpt_fixture.case import build_case
from minigpt_fixture.claims import error_summary, measured_claims, twin_verdict
from minigpt_fixture.damage import Damage, spread
from minigpt_fixture.errors import UsageError
from minigpt_fixture.measure import node_kinds, run_step, saved_names
from minigpt_fixture.registry import BREAKS, CONTROL, Break

__all__ = ["SECTIONS", "damage_table", "section_of", "update"]


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    head = tuple(head)
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def claims_table() -> str:
    return table(("Claimed", "Measured", "Why"), measured_claims())


def nodes_table() -> str:
    case = build_case()
    loss = case.loss_fn(case.model(case.batch.tokens), case.batch.targets)
    saved = saved_names(loss)
    kinds = sorted(node_kinds(loss).items(), key=lambda item: (-item[1], item[0]))
    return table(
        ("Node", "How many", "Saves"),
        ((name, str(count), ", ".join(f"`{s}`" for s in saved[name]) or "nothing") for name, count in kinds),
    )


def breaks_table() -> str:
    return table(
        ("Break", "What happens", "The write", "Saved by", "Right", "Rule"),
        (
            (
                f"`{entry.name}`",
                _what_happens(entry),
                "<br>".join(f"line {n}: `{text}`" for n, text in zip(entry.lines, entry.writes, strict=True)),
                entry.saved_by,
                ("`" + entry.fix + "`" if entry.fix else "as it is") + ("; " + entry.note if entry.note else ""),
                entry.code or "none",
            )
            for entry in BREAKS.values()
        ),
    )


def _what_happens(entry: Break) -> str:
    step = run_step(entry.name)
    if step.error:
        return f"raises: {error_summary(step.error)}"
    if entry.outcome == "safe":
        return f"safe: {twin_verdict(entry.name)}, compared with its out-of-place twin"
    missing, differing = len(step.missing()), len(step.differing(run_step(CONTROL)))
    return f"silent: of {len(step.gradients)} gradients, {differing} differ and {missing} are missing"


def damage_table(found: Sequence[Damage]) -> str:
    """The first one is the control; the others are compared with it seed by seed."""
    control = found[0]

    def row(damage: Damage) -> tuple[str, ...]:
        losses, accuracies = damage.losses(), damage.accuracies()
        (loss, loss_sd), (accuracy, accuracy_sd) = spread(losses), spread(accuracies)
        label = f"`{damage.name}` (the control)" if damage is control else f"`{damage.name}`"
        cells = (label, f"{loss:.3f} ± {loss_sd:.3f}", f"{accuracy:.1%} ± {100 * accuracy_sd:.1f}")
        if damage is control:
            return (*cells, "", "")
        more, more_sd = spread([a - b for a, b in zip(losses, control.losses(), strict=True)])
        relative, relative_sd = spread([a / b - 1 for a, b in zip(accuracies, control.accuracies(), strict=True)])
        return (*cells, f"{more:+.3f} ± {more_sd:.3f}", f"{relative:+.1%} ± {100 * relative_sd:.1f}")

    return table(
        ("Break", "Held-out loss", "Held-out accuracy", "Loss against the control", "Accuracy, relative"),
        [row(damage) for damage in found],
    )


SECTIONS: dict[str, Callable[[], str]] = {"claims": claims_table, "breaks": breaks_table, "nodes": nodes_table}


def section_of(text: str, name: str) -> str:
    """What stands between the markers of that section. Raises UsageError if they are not there once each."""
    return _split(text, name)[1].strip("\n")


def update(path: Path, texts: Mapping[str, str]) -> bool:
    """Write these sections into the file; True if it changed. Raises UsageError."""
    try:
        old = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text") from error
    new = old
    for name, text in texts.items():
        before, _, after = _split(new, name)
        new = f"{before}\n{text}\n{after}"
    if new != old:
        try:
            path.write_text(new, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"cannot write {path}: {error.strerror}") from error
    return new != old


def _split(text: str, name: str) -> tuple[str, str, str]:
    parts = re.split(rf"(<!-- measured: {name} -->|<!-- end: {name} -->)", text)
    if len(parts) != 5:
        raise UsageError(f"the document needs the markers of the section {name!r}, once each")
    return parts[0] + parts[1], parts[2], parts[3] + parts[4]
