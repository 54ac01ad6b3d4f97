"""The pages of the reference case: what is generated stands between markers and is put there from the live model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from minigpt_fixture import plots
from minigpt_fixture.damage import Damage, write_damage
from minigpt_fixture.errors import UsageError
from minigpt_fixture.say import LANGUAGES, language
from minigpt_fixture.sections import SECTIONS, damage_table, gradient_errors, growth

__all__ = ["DATA", "PAGES", "check", "check_sections", "figure_data", "figures", "section_of", "update", "write_all"]

PAGES = {"en": "reference-case.md", "es": "es/caso-de-referencia.md"}
DATA = "data/damage.json"


def write_all(docs: Path, found: Sequence[Damage]) -> list[Path]:
    """Every generated table and plot below `docs`, from these trainings and from the live model; what changed.

    Raises UsageError.
    """
    check(docs)
    before = {path: path.read_bytes() for path in docs.rglob("*") if path.is_file()}
    write_damage(docs / DATA, found)
    for code in LANGUAGES:
        with language(code):
            update(
                docs / PAGES[code], {name: made() for name, made in SECTIONS.items()} | {"damage": damage_table(found)}
            )
            for name, text in figures(found).items():
                _write(docs / "images" / name.format(code), text)
    after = {path: path.read_bytes() for path in docs.rglob("*") if path.is_file()}
    return sorted(path for path, data in after.items() if before.get(path) != data)


def check(docs: Path) -> None:
    """Raises UsageError if the pages are not below `docs`."""
    for page in PAGES.values():
        if not (docs / page).is_file():
            raise UsageError(f"{docs / page} is not there: run this from a clone of the repository, or name its --docs")


def figures(found: Sequence[Damage]) -> dict[str, str]:
    """SVG by file name, with a place for the language in it."""
    drawn = {
        "growth": plots.growth_plot(growth()),
        "gradients": plots.gradients_plot(gradient_errors()),
        "damage": plots.damage_plot(found),
        "curves": plots.curves_plot(found),
    }
    shown = figure_data(found)
    return {f"{name}.{{}}.svg": plots.svg(figure, shown[name]) for name, figure in drawn.items()}


def figure_data(found: Sequence[Damage]) -> dict[str, object]:
    """What each plot shows, as far as it is the same on every machine."""
    cells = {name: [error is None or error > 0 for error in row.values()] for name, row in gradient_errors().items()}
    return {"growth": growth(), "gradients": cells, "damage": found, "curves": found}


def section_of(text: str, name: str) -> str:
    """What stands between the markers of that section. Raises UsageError if they are not there once each."""
    return _split(text, name)[1].strip("\n")


def check_sections(path: Path, names: Iterable[str]) -> None:
    """Raises UsageError if the file cannot be read or lacks one of these sections."""
    text = _read(path)
    for name in names:
        _split(text, name)


def update(path: Path, texts: Mapping[str, str]) -> bool:
    """Write these sections into the file; True if it changed. Raises UsageError."""
    old = new = _read(path)
    for name, text in texts.items():
        before, _, after = _split(new, name)
        new = f"{before}\n{text}\n{after}"
    if new != old:
        _write(path, new)
    return new != old


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text") from error


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error


def _split(text: str, name: str) -> tuple[str, str, str]:
    parts = re.split(rf"(<!-- measured: {name} -->|<!-- end: {name} -->)", text)
    if len(parts) != 5:
        raise UsageError(f"the document needs the markers of the section {name!r}, once each")
    return parts[0] + parts[1], parts[2], parts[3] + parts[4]
