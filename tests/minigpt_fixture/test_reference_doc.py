"""docs/reference-case.md says what is so: its tables are measured again, its commands are run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from minigpt_fixture.config import GPTConfig
from minigpt_fixture.corpus import corpus, lexicon, sentences
from minigpt_fixture.damage import measure_damage, spread
from minigpt_fixture.document import SECTIONS, damage_table, section_of, update
from minigpt_fixture.errors import UsageError
from minigpt_fixture.registry import BREAKS

ROOT = Path(__file__).parents[2]
DOC = ROOT / "docs" / "reference-case.md"
TEXT = DOC.read_text(encoding="utf-8")
NUMBER = r"(?<![\w.])[-+]?\d+\.\d+(?:e[-+]\d+)?"


@pytest.mark.parametrize("name", SECTIONS)
def test_table_is_what_is_measured_now(name: str) -> None:
    assert section_of(TEXT, name).splitlines() == SECTIONS[name]().splitlines(), (
        "run `python -m minigpt_fixture claims --update docs/reference-case.md` and look at what changed"
    )


@pytest.mark.parametrize(
    "figure",
    [
        "119 nodes",
        "157 with the 38 AccumulateGrad",
        "86.5 KiB in distinct",
        "112.5 KiB with shared",
        "514.5 KiB of param",
    ],
)
def test_figures_of_the_reference_case(figure: str) -> None:
    assert figure in section_of(TEXT, "claims")


def without_numbers(text: str) -> str:
    return re.sub(r" +", " ", re.sub(NUMBER, "#", text))


def test_commands_print_what_the_page_shows(tmp_path: Path) -> None:
    blocks = re.findall(r"```console\n\$ (.*)\n((?:.*\n)*?)```", TEXT)
    assert len(blocks) >= 6
    for command, shown in blocks:
        assert command.startswith("python -m minigpt_fixture ")
        command = command.replace("python", sys.executable, 1)
        result = subprocess.run(
            command, shell=True, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300
        )
        printed = result.stdout.replace(f"{ROOT}/", "").strip()
        assert without_numbers(printed) == without_numbers(shown.strip()), command
        for ours, theirs in zip(re.findall(NUMBER, printed), re.findall(NUMBER, shown), strict=True):
            assert float(ours) == pytest.approx(float(theirs), rel=0.01, abs=0.001), command


def test_numbers_in_the_prose() -> None:
    c = GPTConfig()
    held_out = len(sentences(6000)[9::10])
    for claim in (
        f"| width (`d_model`) | {c.d_model}, in {c.n_heads} heads of {c.d_model // c.n_heads} |",
        f"| blocks | {c.n_layers}, pre-norm",
        f"Linear to {c.d_ff}, GELU",
        f"one sequence of T = {c.block_size} tokens, vocabulary of {c.vocab_size}",
        f"{6000 - held_out:,} to train on, {held_out} held out, {len(lexicon())} words",
    ):
        assert claim in TEXT
    words = {"raises": "five make", "silent": "five give", "safe": "two are right"}
    for outcome, phrase in words.items():
        count = sum(entry.outcome == outcome for entry in BREAKS.values())
        assert phrase.split()[0] == {2: "two", 5: "five"}[count]
        assert phrase in " ".join(TEXT.split())
    assert len(BREAKS) == 12
    assert corpus().tokenizer.vocab_size == c.vocab_size


def test_commands_of_the_course_are_all_there() -> None:
    for command in ("inplace=false", "inplace=true detect_anomaly=true", "inplace=true detect_anomaly=false"):
        assert f"`just phase-25-train {command}`" in TEXT
    assert "`just phase-25-grad-compare " in TEXT


def rows_of(table: str) -> dict[str, list[float]]:
    rows = (line for line in table.splitlines() if line.startswith("| `"))
    return {line.split("`")[1]: [float(n.strip("%")) for n in re.findall(NUMBER, line)] for line in rows}


def test_damage_table_covers_every_silent_break() -> None:
    rows = rows_of(section_of(TEXT, "damage"))
    assert list(rows) == ["none", *(entry.name for entry in BREAKS.values() if entry.outcome == "silent")]


@pytest.mark.slow
def test_damage_is_what_the_page_says() -> None:
    """Means within 0.1 and 1.5 points: rounding differs between processors, and training amplifies it."""
    torch.set_num_threads(1)
    rows = rows_of(section_of(TEXT, "damage"))
    found = measure_damage(2000, 5)
    assert list(rows_of(damage_table(found))) == list(rows)
    for damage in found:
        loss, _, accuracy, *_ = rows[damage.name]
        assert spread(damage.losses())[0] == pytest.approx(loss, abs=0.1)
        assert 100 * spread(damage.accuracies())[0] == pytest.approx(accuracy, abs=1.5)


def test_update_replaces_only_what_is_between_the_markers(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- measured: nodes -->\nold\n<!-- end: nodes -->\nafter\n")
    assert update(page, {"nodes": "new"})
    assert page.read_text() == "before\n<!-- measured: nodes -->\nnew\n<!-- end: nodes -->\nafter\n"
    assert not update(page, {"nodes": "new"})
    with pytest.raises(UsageError, match="markers of the section 'claims'"):
        update(page, {"claims": "x"})
