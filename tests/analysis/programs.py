"""Small programs for the linter, each run under PyTorch too, so that no label rests on belief.

A text of programs is made of blocks:

    == what it is about
    …
    y += 1  # <- IPG101      the line that must be reported; `(raised later)` where PyTorch raises further on
    …
    >> run                   what follows is run, and linted only together with the rest
    …
    --                       its quiet twin; more may follow
    …

A block may be quiet as a whole. `== title !! reason`, or `-- !! reason` for a twin, says why the linter is known to be
wrong about the program: its test is a strict xfail. A program under a silent rule leaves what it computes in `result`,
and so does its twin.
"""

from __future__ import annotations

import contextlib
import functools
import re
import sys
import textwrap
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

from inplace_guard import rules
from inplace_guard.analysis import analyze

PRELUDE = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
MARK = re.compile(r"#\s*<- (IPG\d{3})\b")

RAISES = {
    "IPG101": "modified by an inplace operation|an output .* was modified inplace",
    "IPG102": "modified by an inplace operation",
    "IPG103": "^a leaf Variable that requires grad",
    "IPG104": "view of a leaf Variable that requires grad",
    "IPG105": "is a view and (is being|its base or another view of its base has been) modified inplace|detach views"
    "|view was created in no_grad mode",
    "IPG106": "single memory location",
    "IPG107": "modified by an inplace operation",
    "IPG108": "inference tensor|Inference tensors cannot be saved",
    "IPG109": "mark_dirty|marked as dirty",
    "IPG110": "don't support automatic differentiation",
    "IPG301": "backward through the graph a second time",
    "IPG302": "does not require grad",
}
AT_THE_LINE = ("IPG103", "IPG104", "IPG105", "IPG106", "IPG110", "IPG301", "IPG302")
BY_VERSION = ("IPG101", "IPG102", "IPG107")
HARMLESS = ("IPG901", "IPG902")


@dataclass(frozen=True)
class Program:
    title: str
    linted: str
    driver: str
    reason: str
    twin: Program | None

    def __str__(self) -> str:
        return re.sub(r"\W+", "-", self.title).strip("-")

    @property
    def text(self) -> str:
        return self.linted + self.driver

    @property
    def code(self) -> str:
        """The code of the one marked line; empty if the program must be quiet."""
        codes = MARK.findall(self.linted)
        assert len(codes) <= 1, "one mark a program: PyTorch stops at the first error"
        return codes[0] if codes else ""

    @property
    def line(self) -> int:
        return next((n for n, line in enumerate(self.linted.splitlines(), 1) if MARK.search(line)), 0)

    @property
    def selected(self) -> frozenset[str]:
        about = self if self.code else self.twin or self
        return rules.resolve() | {about.code} if about.code else rules.resolve()


def parse(text: str, prelude: str = PRELUDE) -> Iterator[Program]:
    for block in re.split(r"^== ", text, flags=re.MULTILINE)[1:]:
        title, first = "", None
        for number, part in enumerate(re.split(r"^--", block, flags=re.MULTILINE)):
            head, _, body = part.partition("\n")
            about, _, reason = head.partition(" !! ")
            title = title or about
            linted, _, driver = body.partition(">> run\n")
            # The bad program and its first twin point at each other; a further twin at the bad one.
            name = f"{title} twin {number}" if number else title
            program = Program(name, prelude + linted, driver, reason.strip(), first)
            first = first or program
            yield program


def checked(text: str, prelude: str = PRELUDE) -> tuple[Callable[[Program], None], Callable[[Program], None]]:
    """The two tests of a text of programs: what the linter says, and whether PyTorch agrees."""
    programs = list(parse(text, prelude))
    assert len({program.title for program in programs}) == len(programs)
    twins = {p.twin.title: p for p in reversed(programs) if p.twin is not None}
    params = [
        pytest.param(p, id=str(p), marks=pytest.mark.xfail(strict=True, reason=p.reason) if p.reason else ())
        for p in programs
    ]

    @pytest.mark.parametrize("program", params)
    def test_the_linter_reports_the_marked_line_and_nothing_else(program: Program) -> None:
        expected = [(program.code, program.line)] if program.code else []
        says(program.linted, program, expected, "")
        if program.driver:
            # What was an unknown callee may be known now.
            known = [("IPG101" if code == "IPG102" else code, line) for code, line in expected]
            says(program.text, program, known, "linted together with what runs it")
        else:
            says(in_main(program.text), program, [(code, line + 1) for code, line in expected], "inside main()")

    @pytest.mark.parametrize("program", programs, ids=str)
    def test_pytorch_agrees(program: Program) -> None:
        agree(program, twins.get(program.title))

    return test_the_linter_reports_the_marked_line_and_nothing_else, test_pytorch_agrees


def says(text: str, program: Program, expected: list[tuple[str, int]], how: str) -> None:
    analysis = analyze(text, "program.py", codes=program.selected)
    assert analysis.notes == [], analysis.notes
    found = [(finding.code, finding.write.line) for finding in analysis.findings]
    if found != expected:
        told = "\n".join(f"{f.write.line}: {f.code} {f.message}" for f in analysis.findings) or "nothing"
        numbered = "\n".join(f"{number:3} {line}" for number, line in enumerate(text.splitlines(), 1))
        pytest.fail(f"{how or 'as it is'}, the linter says\n{told}\nabout\n{numbered}", pytrace=False)


def in_main(text: str) -> str:
    """The same program as the body of main()."""
    return f"def main():\n{textwrap.indent(text, '    ')}\n\nif __name__ == '__main__':\n    main()\n"


@dataclass(frozen=True)
class Outcome:
    error: Exception | None
    line: int  # of the program, where the error came from
    result: Any


class Untold(TorchFunctionMode):
    """Hides the writes of one line from the version counters."""

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        frame = sys._getframe(1)
        while frame is not None and not (frame.f_code.co_filename == "program.py" and frame.f_lineno == self.line):
            frame = frame.f_back  # type: ignore[assignment]
        if frame is None:
            return func(*args, **(kwargs or {}))
        tensors = [t for t in tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor) and not t.is_inference()]
        with torch.autograd._unsafe_preserve_version_counter(tuple(tensors)):
            return func(*args, **(kwargs or {}))


@functools.cache
def run(text: str, untold: int = 0) -> Outcome:
    names: dict[str, Any] = {"__name__": "__main__"}
    torch.manual_seed(0)
    error, line = None, 0
    mode = Untold(untold) if untold else contextlib.nullcontext()
    with warnings.catch_warnings(), torch.set_grad_enabled(True), mode:
        warnings.simplefilter("ignore")
        try:
            exec(compile(text, "program.py", "exec"), names)
        except Exception as raised:
            error = raised
            frames = [f.lineno for f in traceback.extract_tb(raised.__traceback__) if f.filename == "program.py"]
            line = frames[-1] or 0
    return Outcome(error, line, names.get("result"))


def agree(program: Program, twin: Program | None) -> None:
    outcome = run(program.text)
    code = program.code
    if not code or code in HARMLESS:
        assert outcome.error is None
    elif code in RAISES:
        assert outcome.error is not None, "it was to raise"
        assert re.search(RAISES[code], str(outcome.error)), outcome.error
        later = "(raised later)" in program.text.splitlines()[program.line - 1]
        assert code not in AT_THE_LINE or (outcome.line == program.line) is not later
        if code in BY_VERSION and "inplace=True" not in program.text:  # what relu_ saves is what it wrote
            assert run(program.text, program.line).error is None, "another write is to blame as well"
    elif code == "IPG303" and outcome.error is not None:
        assert "does not require grad" in str(outcome.error)
    else:
        assert outcome.error is None
        assert twin is not None
        mine, other = flat(outcome.result), flat(run(twin.text).result)
        assert mine
        assert other
        assert not same(mine, other), "the twin computes the same: nothing shows that the program is wrong"


def flat(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return [part for item in value for part in flat(item)]
    return [] if value is None else [value]


def same(mine: list[Any], other: list[Any]) -> bool:
    if len(mine) != len(other):
        return False
    return all(torch.allclose(torch.as_tensor(a), torch.as_tensor(b)) for a, b in zip(mine, other, strict=True))
