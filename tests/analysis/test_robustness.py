"""No source crashes the analysis or makes it run for ever, and what it says is in order and the same each time."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inplace_guard.analysis import Analysis, analyze, entries
from inplace_guard.analysis.interpreter import Interpreter
from inplace_guard.check.file import check_bytes
from inplace_guard.rules import CATALOGUE

from .mutations import ROOT, SITE, all_files, callables, damage_lines, damage_tree, random_program, read, some_files
from .shapes import BEGIN, END, SHAPES

HANGS_AFTER = 120  # seconds of processor time: far above what anything here takes
ALL = frozenset(CATALOGUE)
FILES = some_files()
CALLABLES = callables()
SEEDS = st.integers(0, 2**32)
few = settings(max_examples=60, suppress_health_check=list(HealthCheck))
many = settings(max_examples=2500, suppress_health_check=list(HealthCheck))


class Hang(BaseException):
    """Not an Exception: nothing catches it on the way."""


@pytest.fixture(autouse=True)
def no_hang(request: pytest.FixtureRequest) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise Hang

    seconds = HANGS_AFTER * (30 if request.node.get_closest_marker("slow") else 1)
    old = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, old)


def survives(source: str) -> Analysis | None:
    """Analyse it; what must hold of any source. None if it is no Python."""
    try:
        analysis = analyze(source, "any.py", codes=ALL)
    except (SyntaxError, ValueError):
        return None
    except RecursionError as error:
        if "ast construction" not in str(error):  # the parser's own
            raise
        return None
    assert [note for note in analysis.notes if entries.INTERNAL in note] == []
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    keys = [(f.write.line, f.write.column, f.code) for f in analysis.findings]
    assert len(set(keys)) == len(keys)
    assert [key[:2] for key in keys] == sorted(key[:2] for key in keys)
    for finding in analysis.findings:
        for site in filter(None, (finding.write, finding.saved, finding.needed)):
            assert 1 <= site.line <= len(lines)
            assert 1 <= site.column <= len(lines[site.line - 1])
            assert site.source == lines[site.line - 1].strip()
        assert finding.message
        assert "\n" not in finding.message
    return analysis


# Real files, damaged


def damaged_lines(number: int, seed: int) -> None:
    survives(damage_lines(read(FILES[number % len(FILES)]), random.Random(seed)))


def damaged_trees(number: int, seed: int) -> None:
    assert survives(damage_tree(read(FILES[number % len(FILES)]), random.Random(seed))) is not None


def random_programs(number: int, seed: int) -> None:
    assert survives(random_program(random.Random(seed), CALLABLES)) is not None


@few
@given(SEEDS, SEEDS)
def test_damaged_lines(number: int, seed: int) -> None:
    damaged_lines(number, seed)


@few
@given(SEEDS, SEEDS)
def test_damaged_trees(number: int, seed: int) -> None:
    damaged_trees(number, seed)


@settings(few, max_examples=300)
@given(SEEDS)
def test_random_programs(seed: int) -> None:
    random_programs(0, seed)


@pytest.mark.slow
@pytest.mark.parametrize("fuzz", [damaged_lines, damaged_trees, random_programs])
def test_for_long(fuzz: Callable[[int, int], None]) -> None:
    @many
    @given(SEEDS, SEEDS)
    def run(number: int, seed: int) -> None:
        fuzz(number, seed)

    run()


@pytest.mark.slow
def test_all_files_of_python_torch_and_transformers_damaged() -> None:
    for number, path in enumerate(all_files()):
        rng = random.Random(number)
        text = read(path)
        if len(text) < 300_000:
            survives(damage_lines(text, rng))


# Text that is no Python, or odd Python


@given(st.text())
def test_any_text(text: str) -> None:
    survives("import torch\n" + text)
    survives(text + "torch")


@pytest.mark.parametrize(
    "source",
    [
        "torch\0",
        "import torch\nprint 'two'",
        "import torch\nexec code in names",
        "torch = `x`",
        "import torch\n'\ud800'",
        "\ufeffimport torch",
        "torch\n\tif x:\n        y",
        "torch = " + "(" * 10_000 + ")" * 10_000,
        "import torch\nx = '",
        "import torch\n%matplotlib inline",
    ],
)
def test_what_is_no_python_raises_what_is_documented(source: str) -> None:
    with pytest.raises((SyntaxError, ValueError)):
        analyze(source)


HAZARD = """\
import torch
def f():
    w = torch.randn(3, requires_grad=True)
    ä = w.exp()
    ä += 1
    ä.sum().backward()
"""


@pytest.mark.parametrize(
    ("name", "source", "line"),
    [
        ("unix", HAZARD, 5),
        ("windows", HAZARD.replace("\n", "\r\n"), 5),
        ("old mac", HAZARD.replace("\n", "\r"), 5),
        ("no end", HAZARD.rstrip(), 5),
        ("form feeds", HAZARD.replace("def", "\f\n\f\n\f\n\fdef"), 8),
        ("other separators", HAZARD.replace("def", "s = 'a\u2028b\x85c\x1cd\x0be'\ndef"), 6),
        ("tabs", HAZARD.replace("    ", "\t"), 5),
        ("continued", HAZARD.replace("ä += 1", "ä \\\n    += \\\n    1"), 5),
    ],
)
def test_lines_are_counted_as_python_counts_them(name: str, source: str, line: int) -> None:
    (finding,) = analyze(source).findings
    assert (finding.code, finding.write.line) == ("IPG101", line)
    assert (finding.write.source or "").startswith("ä")
    assert survives(source) is not None


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("BOM", b"\xef\xbb\xbf" + HAZARD.encode()),
        ("latin-1 with its cookie", b"# -*- coding: latin-1 -*-\n" + HAZARD.encode("latin-1")),
        ("windows line ends", HAZARD.replace("\n", "\r\n").encode()),
    ],
)
def test_encodings(name: str, data: bytes) -> None:
    report = check_bytes(data, "any.py", ALL - {"IPG901", "IPG902"})
    assert [finding.code for finding in report.findings] == ["IPG101"]
    assert report.problems == []


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("latin-1 without its cookie", HAZARD.encode("latin-1")),
        ("null byte", HAZARD.encode() + b"\0"),
        ("Python 2", b"import torch\nprint 'two'\n"),
        ("an unknown cookie", b"# coding: klingon\n" + HAZARD.encode()),
        ("deep", b"torch = " + b"-" * 100_000 + b"1"),
        ("a long sum", b"torch = 0" + b" + 1" * 100_000),
    ],
)
def test_unreadable_files_are_one_line(name: str, data: bytes) -> None:
    report = check_bytes(data, "any.py", ALL)
    (problem,) = report.problems
    assert not problem.internal
    assert "\n" not in problem.message
    assert report.findings == []


# Programs of extreme shapes


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[Interpreter]:
    """The interpreters that an analysis makes, one for each entry."""
    made: list[Interpreter] = []

    class Watched(Interpreter):
        def __init__(self, *args: object) -> None:
            super().__init__(*args)  # type: ignore[arg-type]
            made.append(self)

    monkeypatch.setattr(entries.Runner, "interpreter", Watched)
    return made


@pytest.mark.parametrize("shape", SHAPES)
def test_extreme_shapes(shape: str, ran: list[Interpreter]) -> None:
    assert survives(BEGIN + SHAPES[shape] + END) is not None
    assert ran
    assert all(it.steps <= it.limit + it.limit // 10 for it in ran)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_extreme_shapes_inside_a_function(shape: str, ran: list[Interpreter]) -> None:
    source = (BEGIN + SHAPES[shape] + END).splitlines()
    assert survives("\n".join(["def main():", *("    " + line for line in source), "main()"])) is not None
    assert all(it.steps <= it.limit + it.limit // 10 for it in ran)


def test_a_bound_that_was_hit_is_told_and_what_was_found_stays() -> None:
    analysis = analyze(BEGIN + "h = w.exp()\nh += 1\nh.sum().backward()\n" + SHAPES["18 comprehensions"] + END)
    assert [note for note in analysis.notes if "steps, the rest of it was not analysed" in note]
    assert [(f.code, f.write.line) for f in analysis.findings] == [("IPG101", 5)]


def test_bounds_that_were_hit_lower_what_the_rest_of_the_file_may_cost(ran: list[Interpreter]) -> None:
    heavy = textwrap.indent(BEGIN + SHAPES["18 comprehensions"] + "h.sum().backward()\n", "    ")
    analysis = analyze("".join(f"def heavy_{n}():\n{heavy}\n" for n in range(5)))
    assert len(analysis.notes) == 5
    assert [it.limit for it in ran if it.steps > 1000] == [60_000, 30_000, 15_000, 15_000, 15_000]


def test_a_generated_file_of_5_megabytes() -> None:
    source = HAZARD + "TABLE = [\n" + f'    (1, "torch {"x" * 100}"),\n' * 45_000 + "]\n"
    assert len(source) > 5_000_000
    assert [f.code for f in analyze(source).findings] == ["IPG101"]


# The same each time


def told(source: str) -> list[object]:
    analysis = analyze(source, "any.py", codes=ALL)
    return [*(finding.to_json() for finding in analysis.findings), *analysis.notes]


@few
@given(SEEDS)
def test_two_runs_say_the_same(seed: int) -> None:
    source = random_program(random.Random(seed), CALLABLES)
    assert told(source) == told(source)


IN_A_PROCESS = """\
import json, sys
from inplace_guard.analysis import analyze
from inplace_guard.rules import CATALOGUE
said = []
for path in json.load(sys.stdin):
    analysis = analyze(open(path, encoding="utf-8").read(), path, codes=frozenset(CATALOGUE))
    said.append([path, [finding.to_json() for finding in analysis.findings], analysis.notes])
json.dump(said, sys.stdout)
"""


def said_under(hash_seed: str, paths: list[str]) -> list[list[object]]:
    env = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(
        [sys.executable, "-c", IN_A_PROCESS],
        input=json.dumps(paths),
        capture_output=True,
        text=True,
        env=env,
        check=True,
    )
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def test_the_hash_seed_changes_nothing() -> None:
    paths = [str(path) for path in sorted((ROOT / "tests" / "corpus").glob("*/*/before.py"))[::4]]
    first = said_under("1", paths)
    assert sum(len(found) for _, found, _ in first) > 20  # type: ignore[misc, arg-type]
    for seed in ("2", "3"):
        assert said_under(seed, paths) == first


@pytest.mark.slow
def test_the_hash_seed_changes_nothing_in_large_files() -> None:
    paths = [
        str(path) for folder in ("torch/nn", "torch/optim", "torch/testing") for path in (SITE / folder).rglob("*.py")
    ]
    paths += [str(path) for path in (ROOT / "tests" / "corpus").glob("*/*/*.py")]
    paths = sorted(path for path in paths if "py312" not in path)
    assert said_under("1", paths) == said_under("2", paths)
