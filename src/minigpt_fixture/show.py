"""What the commands print. Plain text when piped, colour and a moving bar on a terminal."""

from __future__ import annotations

import os
import re
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from minigpt_fixture import registry

if TYPE_CHECKING:
    from minigpt_fixture.compare import Row
    from minigpt_fixture.training import BackwardRaised, HeldOut, TrainOptions

COLOURS = {"raises": "31", "missing": "31", "silent": "33", "differs": "33", "safe": "32", "equal": "32"}


def _paint(word: str, width: int = 0) -> str:
    """The word, padded, in the colour of what it says if this is a terminal that wants colour."""
    padded = word.ljust(width)
    if sys.stdout.isatty() and "NO_COLOR" not in os.environ:
        return f"\033[{COLOURS[word]}m{padded}\033[0m"
    return padded


def _shown(path: Path) -> str:
    """Relative to the working folder if it lies inside it."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def _writes(entry: registry.Break) -> list[str]:
    rows = entry.source.splitlines()
    return [f"{_shown(entry.file)}:{line}: {rows[line - 1].strip()}" for line in entry.lines]


def _fix(entry: registry.Break) -> None:
    if entry.fix:
        print(f"  right   {entry.fix}")
    if entry.note:
        print(f"  note    {entry.note}")


def run_header(options: TrainOptions) -> None:
    if options.break_name == registry.CONTROL:
        what = "the control"
    else:
        entry = registry.get(options.break_name)
        what = f"fixed: {entry.fix or 'the same, out of place'}" if options.repaired else entry.summary
    steps = "1 step" if options.steps == 1 else f"{options.steps} steps"
    anomaly = ", anomaly mode on" if options.detect_anomaly else ""
    print(f"mini-GPT, break {options.break_name} ({what}); seed {options.seed}, {steps}{anomaly}")


@contextmanager
def progress(steps: int) -> Iterator[Callable[[int, float], None]]:
    """Yields what to call after each step: a bar on a terminal, otherwise about a dozen lines."""
    if sys.stdout.isatty():
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (BarColumn(), MofNCompleteColumn(), TextColumn("loss {task.fields[loss]}"), TimeRemainingColumn())
        with Progress(*columns) as bar:
            task = bar.add_task("training", total=steps, loss="-")
            yield lambda step, loss: bar.update(task, completed=step, loss=f"{loss:.4f}")
        return
    every = max(1, steps // 10)

    def line(step: int, loss: float) -> None:
        if step in (1, steps) or step % every == 0:
            print(f"step {step:>{len(str(steps))}}/{steps}  loss {loss:.4f}", flush=True)

    yield line


def own_frames(stack: str) -> str:
    """Anomaly mode's report without the frames inside torch, the interpreter's start and the lesson's machinery."""
    kept, keep = [], True
    for row in stack.splitlines():
        if match := re.match(r'  File "(.*?)", line', row):
            keep = not re.search(r"[/\\]torch[/\\]|^<frozen|[/\\]lesson[/\\]examine\.py$", match[1])
        elif row.startswith("   (Triggered"):
            continue
        if keep:
            kept.append(row)
    return "\n".join(kept)


def raised(options: TrainOptions, error: BackwardRaised) -> None:
    entry = registry.get(options.break_name)
    print(f"\nbackward raised at step {error.step}. PyTorch says:")
    print(textwrap.indent(textwrap.fill(str(error), 110), "  "))
    if error.forward_stack:
        print("\nanomaly mode adds the forward call whose backward failed (not the line that wrote):")
        print(textwrap.indent(own_frames(error.forward_stack), "  "))
    print(f"\nthe break is {entry.name}: {entry.summary}")
    for write in _writes(entry):
        print(f"  wrote   {write}")
    print(f"  saved   by {entry.saved_by}")
    _fix(entry)
    if entry.code:
        print(f"  rule    {entry.code}")
    sys.stdout.flush()
    hint = "" if options.detect_anomaly else "; --detect-anomaly shows more"
    print(
        f"error: backward raised at step {error.step} (break {entry.name}); nothing was trained{hint}", file=sys.stderr
    )


def trained(options: TrainOptions, held_out: HeldOut) -> None:
    print(f"held out: loss {held_out.loss:.4f}, accuracy {held_out.accuracy:.1%} of {held_out.tokens} tokens")
    print(f"wrote {options.out}: config.json, losses.jsonl, gradients.safetensors, weights.safetensors")
    if options.break_name != registry.CONTROL and registry.get(options.break_name).outcome == "silent":
        if options.repaired:
            return
        print("no error was raised, which is the trouble with this break. Compare with a run of --break none:")
        print(f"  python -m minigpt_fixture grad-compare CONTROL_DIR {options.out}")


def comparison(a: Path, b: Path, rows: Sequence[Row]) -> None:
    width = max(len("parameter"), *(len(row.name) for row in rows))
    print(f"{'parameter':{width}}  {'norm A':>10}  {'norm B':>10}  {'max diff':>10}  {'cosine':>8}  verdict")

    def number(value: float | None, form: str) -> str:
        return "none" if value is None else format(value, form)

    for row in rows:
        print(
            f"{row.name:{width}}  {number(row.norm_a, '.4e'):>10}  {number(row.norm_b, '.4e'):>10}  "
            f"{number(row.max_difference, '.2e'):>10}  {number(row.cosine, '.4f'):>8}  {_paint(row.verdict)}"
        )
    count = Counter(str(row.verdict) for row in rows)
    words = {"equal": "equal", "differs": "different", "missing": "missing"}
    found = ", ".join(f"{count[verdict]} {word}" for verdict, word in words.items() if count[verdict])
    print(f"\n{len(rows)} parameters, A = {a}, B = {b}: {found}")


def damage_run(name: str, seed: int, result: HeldOut) -> None:
    line = f"{name}, seed {seed}: held-out loss {result.loss:.3f}, accuracy {result.accuracy:.1%}"
    print(line, file=sys.stderr, flush=True)


def breaks() -> None:
    print("none: the control, every residual out of place\n")
    for entry in registry.BREAKS.values():
        print(f"{entry.name}  {_paint(entry.outcome)}  {entry.code or 'no rule'}")
        print(f"  {entry.summary}")
        for write in _writes(entry):
            print(f"  wrote   {write}")
        print(f"  saved   by {entry.saved_by}")
        _fix(entry)
        print()
