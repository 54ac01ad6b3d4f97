"""The lesson, as a learner goes through it: the steps, the hints, and what a check says to each attempt."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from minigpt_fixture.cli import main
from minigpt_fixture.lesson import DEFAULT_FOLDER, LESSON_STEPS, runner
from minigpt_fixture.lesson.examine import answer
from minigpt_fixture.lesson.session import HINTS
from minigpt_fixture.lesson.steps import STEPS
from minigpt_fixture.lesson.workspace import original
from minigpt_fixture.registry import BREAKS

FILE = Path(DEFAULT_FOLDER, "model.py")
BROKEN = [entry for entry in BREAKS.values() if entry.outcome != "safe"]
ROOT = Path(__file__).parents[2]
RIGHT_FFN = "h = h + self.ffn(self.ln2(h))"
ATTN, FFN = "h.add_(self.attn(self.ln1(h)))", "h.add_(self.ffn(self.ln2(h)))"
Lesson = Callable[..., tuple[int, str]]


@pytest.fixture
def lesson(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Lesson:
    """Runs `lesson ARGS` in an empty folder: exit code, and what it printed on either stream."""
    monkeypatch.chdir(tmp_path)

    def run(*args: str) -> tuple[int, str]:
        try:
            code = main(["lesson", *args])
        except SystemExit as exit_:
            code = exit_.code  # type: ignore[assignment]
        shown = capsys.readouterr()
        assert "Traceback (most recent" not in shown.out + shown.err
        return code, shown.out + shown.err

    return run


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The learner's file is run in this process, which saves the start of another."""

    def run_file(mode: str, break_name: str, file: Path) -> runner.Outcome:
        return runner.Outcome(answer(mode, break_name, file), "")

    monkeypatch.setattr("minigpt_fixture.lesson.session.run_file", run_file)
    monkeypatch.setattr("minigpt_fixture.lesson.steps.run_file", run_file)


def edit(*changes: tuple[str, str]) -> None:
    text = FILE.read_text()
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    FILE.write_text(text)


def begin(lesson: Lesson, *args: str) -> None:
    assert lesson("hint", "--dir", "elsewhere")[0] == 2
    assert lesson(*args, "--step", "7")[0] == 0


def test_a_learners_way(lesson: Lesson) -> None:
    """As a user would: in processes of their own, from the start to the end."""
    code, out = lesson("--step", "2")
    assert code == 0
    assert "Wrote minigpt-lesson/model.py" in out
    assert "is at version 4; expected version 3" in " ".join(out.split())
    assert lesson("check") == (
        1,
        (
            "Not yet: minigpt-lesson/model.py is still the program that was handed out.\n"
            "Where to look: python -m minigpt_fixture lesson next\n"
        ),
    )
    edit((ATTN, "h = h + self.attn(self.ln1(h))"))
    code, out = lesson("check")
    assert code == 1
    assert "Backward still raises" in out
    assert "At the start it said `is at version 4; expected version 3`" in " ".join(out.split())
    edit((FFN, "h = h + self.ffn(self.ln2(h))"))
    code, out = lesson("check")
    assert code == 0
    assert out.startswith("Right.")
    assert "The same ladder where nothing is raised" in lesson("--step", "8")[1]


@pytest.mark.usefixtures("in_process")
def test_the_steps_of_the_classic(lesson: Lesson) -> None:
    lesson()
    shown = [lesson("--step", str(number))[1] for number in range(1, LESSON_STEPS + 1)]
    expected = (
        "backward raised at the first step",
        "output 0 of Add: the operation that made its present value",
        "Error detected in NativeLayerNormBackward0",
        "minigpt-lesson/model.py:21:9: IPG101",
        "38 parameters: 4 equal, 2 different, 32 without a gradient",
        "  wrote  model.py:22: h.add_(self.ffn(self.ln2(h)))  (in blocks.1)",
        "run `python -m minigpt_fixture lesson check`",
        "5 of 11 gradients wrong",
    )
    assert len(STEPS) == LESSON_STEPS == len(expected)
    for number, (text, words) in enumerate(zip(shown, expected, strict=True), start=1):
        assert f"Step {number} of 8" in text
        assert words in text
    assert "__init__" not in shown[3]
    assert "h = h + " not in "".join(shown)  # no step gives the answer away
    del shown[2]  # in this process the stack is pytest's
    assert max(len(row) for text in shown for row in text.splitlines()) <= 125


@pytest.mark.usefixtures("in_process")
def test_the_steps_where_nothing_is_raised(lesson: Lesson) -> None:
    lesson("--break", "data-add")
    shown = [lesson("--step", str(number))[1] for number in range(1, 7)]
    for text, words in zip(
        shown,
        ("Nothing was raised and the loss falls", "No message", "nothing to add", "IPG201", "32 without", "IPG201"),
        strict=True,
    ):
        assert words in text


ATTEMPTS = {
    "one write left": ([(ATTN, "h = h + self.attn(self.ln1(h))")], "Backward still raises"),
    "the error silenced": (
        [(ATTN, ATTN.replace("h.", "h.data.", 1)), (FFN, FFN.replace("h.", "h.data.", 1))],
        "of 38 gradients 32 are missing (blocks.0.ln1,",
    ),
    "detached": (
        [(ATTN, "h = h + self.attn(self.ln1(h.detach()))"), (FFN, "h = h + self.ffn(self.ln2(h))")],
        "of 38 gradients 17 differ (tok_emb, pos_emb, blocks.0.ln1, blocks.0.attn.q, blocks.0.attn.k.weight,",
    ),
    "cloned too early": (
        [(ATTN, f"h = h.clone()\n        {ATTN}"), (FFN, f"h = h.clone()\n        {FFN}")],
        "Backward still raises",
    ),
    "a syntax error": (
        [(ATTN, "h = h + (self.attn(self.ln1(h))")],
        "Python cannot read the file: '(' was never closed",
    ),
    "a wrong name": ([(ATTN, "h = h + self.atn(self.ln1(h))")], "has no attribute 'atn' at line 21: h = h + self.atn"),
    "the residual gone": (
        [(ATTN, "h = self.attn(self.ln1(h))"), (FFN, "h = h + self.ffn(self.ln2(h))")],
        "Something else has changed: at step 1 the loss is",
    ),
    "another layer": (
        [("self.ln1 = nn.LayerNorm(config.d_model)", "self.ln1 = nn.Identity()")],
        "gone: blocks.0.ln1.bias",
    ),
    "another shape": ([(ATTN, "h = (h + self.attn(self.ln1(h)))[0]")], "The file runs into an error"),
    "no class": ([("class Block(", "class MyBlock(")], "has no class Block of its own"),
    "the answer borrowed": (
        [("class Block(", "from minigpt_fixture.model import Block\n\n\nclass Mine(")],
        "has no class Block of its own",
    ),
    "left early": ([("class Block(", "raise SystemExit(3)\n\n\nclass Block(")], "SystemExit: 3 at line 10"),
}


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("name", ATTEMPTS)
def test_what_a_check_says(name: str, lesson: Lesson) -> None:
    begin(lesson)
    changes, words = ATTEMPTS[name]
    edit(*changes)
    code, out = lesson("check")
    assert code == 1
    assert out.startswith("Not yet")
    assert words in " ".join(out.split())
    assert "h = h + self.attn(self.ln1(h))" not in out.partition("at line")[0]


RIGHT = {
    "out of place": [(ATTN, "h = h + self.attn(self.ln1(h))"), (FFN, "h = h + self.ffn(self.ln2(h))")],
    "with torch.add": [(ATTN, "h = h.add(self.attn(self.ln1(h)))"), (FFN, "return h.add(self.ffn(self.ln2(h)))")],
    "cloned after the norm": [
        (ATTN, "x = self.ln1(h)\n        h = h.clone()\n        h.add_(self.attn(x))"),
        (FFN, "x = self.ln2(h)\n        h = h.clone()\n        h += self.ffn(x)"),
    ],
    "another order": [(ATTN, "h = self.attn(self.ln1(h)) + h"), (FFN, "h = self.ffn(self.ln2(h)).add_(h)")],
}


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("name", RIGHT)
def test_any_right_fix_is_right(name: str, lesson: Lesson) -> None:
    begin(lesson)
    edit(*RIGHT[name])
    code, out = lesson("check")
    assert (code, out.partition(".")[0]) == (0, "Right")


@pytest.mark.parametrize("entry", BROKEN, ids=lambda b: b.name)
def test_every_break_can_be_mended_and_is_not_right_before(entry: object, tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(original(entry))
    assert answer("check", entry.name, file)["kind"] == {"raises": "raises", "silent": "gradients"}[entry.outcome]
    file.write_text(entry.repaired_source)
    assert answer("check", entry.name, file) == {"kind": "right"}


def test_comments_alone_do_not_mend(lesson: Lesson) -> None:
    begin(lesson)
    edit(("class Block(", "# I have looked at it\nclass Block("))
    assert "still the program that was handed out" in lesson("check")[1]


def test_a_file_that_prints_or_never_ends(lesson: Lesson, monkeypatch: pytest.MonkeyPatch) -> None:
    begin(lesson)
    edit((ATTN, 'print("here I am")\n        ' + ATTN))
    assert "The file printed:\n  here I am" in lesson("check")[1]
    edit(("class Block(", "while True:\n    pass\n\n\nclass Block("))
    out = runner.run_file("check", "residual-add", FILE, seconds=0.5)
    assert out.kind == "timeout"
    FILE.write_text("import os\nos._exit(7)\n")
    assert "Python ended with code 7" in lesson("check")[1]


def test_hints_go_from_soft_to_direct(lesson: Lesson) -> None:
    begin(lesson)
    for number in (1, 2, 3, 3):
        assert lesson("hint")[1].startswith(f"Hint {number} of 3: {HINTS['residual-add'][number - 1][:30]}")
    assert "version of a tensor" in lesson("hint", "1")[1]
    assert lesson("hint", "4")[0] == 2


@pytest.mark.parametrize("entry", BROKEN, ids=lambda b: b.name)
def test_hints_of_every_break(entry: object, lesson: Lesson) -> None:
    from minigpt_fixture.lesson import session, workspace

    work = workspace.start(Path("d"), entry.name)
    for number in (1, 2, 3):
        session._hint(work, number)
        assert lesson("--dir", "nowhere", "hint")[0] == 2


def test_reset_keeps_the_learners_file(lesson: Lesson) -> None:
    begin(lesson)
    assert lesson("reset") == (0, f"Wrote {FILE} anew.\n")
    edit((ATTN, "pass"))
    assert f"yours is kept as {FILE}.1" in lesson("reset")[1]
    assert ATTN in FILE.read_text()
    FILE.unlink()
    code, out = lesson("check")
    assert code == 2
    assert "lesson reset` writes it anew" in out
    assert lesson("reset")[0] == 0


def test_bad_input_is_one_clear_line(lesson: Lesson) -> None:
    for args, words in (
        (("check",), "there is no lesson in minigpt-lesson: begin with"),
        (("--break", "nope"), "there is no break 'nope'"),
        (("--break", "exp-fresh"), "in place and right: there is nothing to mend"),
        (("--step", "9"), "'9' is not a number from 1 to 8"),
        (("next", "2"), "a number belongs to `lesson hint`"),
        (("dance",), "invalid choice: 'dance'"),
        (("--dir", "file/below"), "cannot write to file/below"),
        (("--dir", "."), ". is not empty and holds no lesson"),
    ):
        Path("file").write_text("")
        code, out = lesson(*args)
        assert code == 2, args
        assert words in out.splitlines()[-1]
    begin(lesson)
    assert "is about residual-add" in lesson("--break", "data-add")[1]
    state = FILE.with_name("lesson.json")
    for text, words in (
        ("{", "is not JSON"),
        ('{"format": 0}', "another version"),
        ('{"format": 1}', "the state of a"),
    ):
        state.write_text(text)
        code, out = lesson("check")
        assert (code, words in out) == (2, True)


NUMBER = re.compile(r"\d+\.\d+")


def test_the_page_shows_what_is_printed(lesson: Lesson, monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process, but for what shows stacks and names: those would be pytest's, and of an earlier test's file."""

    def run_file(mode: str, break_name: str, file: Path) -> runner.Outcome:
        if mode in ("anomaly", "guard"):
            return runner.run_file(mode, break_name, file)
        return runner.Outcome(answer(mode, break_name, file), "")

    monkeypatch.setattr("minigpt_fixture.lesson.session.run_file", run_file)
    monkeypatch.setattr("minigpt_fixture.lesson.steps.run_file", run_file)
    page = (ROOT / "docs" / "lesson.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```console\n(.*?)\n```", page, flags=re.DOTALL)
    assert len(blocks) == 14
    for block in blocks:
        printed = ""
        for command in (row for row in block.splitlines() if row.startswith("$ ")):
            words = shlex.split(command[2:])
            if words[0] == "sed":
                subprocess.run(words, check=True)
                out = ""
            else:
                assert words[:4] == ["python", "-m", "minigpt_fixture", "lesson"]
                out = lesson(*words[4:])[1]
            printed += f"{command}\n{out}"
        printed = printed.replace(f"{ROOT}/", "").rstrip("\n")
        assert NUMBER.sub("#", printed) == NUMBER.sub("#", block)
        for ours, theirs in zip(NUMBER.findall(printed), NUMBER.findall(block), strict=True):
            assert float(ours) == pytest.approx(float(theirs), rel=0.02)
    edit((f"h = h.clone(); {ATTN}", "h = h + self.attn(self.ln1(h))"), (f"h = h.clone(); {FFN}", RIGHT_FFN))
    code, out = lesson("check")
    assert code == 0
    assert f"```text\n{out}```" in page


def test_piped_without_input_it_ends(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "minigpt_fixture", "lesson", "--step", "7"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, stdin=subprocess.DEVNULL, timeout=60)
    assert result.returncode == 0, result.stderr
    assert "\033" not in result.stdout
    assert result.stderr == ""
