"""The command line: train, grad-compare, list, claims, damage, reference, tape, lesson."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from minigpt_fixture import registry, show
from minigpt_fixture.errors import UsageError, require
from minigpt_fixture.lesson import ACTIONS, DEFAULT_FOLDER, LESSON_STEPS
from minigpt_fixture.say import LANGUAGES, language

DESCRIPTION = """\
A mini-GPT and the ways to break its backward with an in-place write.

A break changes one thing in a working transformer block. Some make backward raise, some give wrong gradients and no
error, and two are in place and right. Train with a break, train without, compare the gradients, and see which is which.
"""
EPILOG = """\
A first walk, three minutes:
  python -m minigpt_fixture list                                       which breaks there are
  python -m minigpt_fixture train --break none --out runs/A            the control: it trains
  python -m minigpt_fixture train --break residual-add --out runs/B    the classic: backward raises, exit code 1
  python -m minigpt_fixture train --break residual-add --detect-anomaly --out runs/B
                                                                       the same, and the line that saved the tensor
  python -m minigpt_fixture train --break data-add --out runs/C        no error at all ...
  python -m minigpt_fixture grad-compare runs/A runs/C                 ... and the blocks got no gradient, exit code 1

From the symptom to the fix, step by step, on a file that you mend:
  python -m minigpt_fixture lesson

The files of the breaks are in minigpt_fixture/breaks: try `flake8 --select IPG` on them.
"""


def _count(text: str, least: int) -> int:
    try:
        value = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
    if not least <= value < 2**63:
        raise argparse.ArgumentTypeError(f"{value} is not between {least} and 2**63 - 1")
    return value


def _between(text: str, least: int, most: int) -> int:
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from {least} to {most}")
    return int(text)


def _tolerance(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a tolerance: it must be 0 or more")
    return value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m minigpt_fixture",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    train = commands.add_parser(
        "train",
        help="train with a break or without, and write the run into a folder",
        description="Trains on a small corpus that the package generates, and writes into DIR: "
        "config.json, losses.jsonl, gradients.safetensors (those of the first step) and weights.safetensors. "
        "Exit code: 0 trained, 1 backward raised, 2 bad input.",
    )
    train.add_argument(
        "--break",
        dest="break_name",
        default=registry.CONTROL,
        metavar="NAME",
        help="none (the control, the default) or a name that `list` shows",
    )
    train.add_argument(
        "--fixed", action="store_true", help="apply the fix of that break first: its gradients are the right ones"
    )
    train.add_argument(
        "--detect-anomaly",
        action="store_true",
        help="run under PyTorch's anomaly mode, which adds the forward call whose backward failed (not the line "
        "that wrote)",
    )
    train.add_argument(
        "--steps", type=lambda t: _count(t, 1), default=300, metavar="N", help="training steps (default 300)"
    )
    train.add_argument(
        "--seed",
        type=lambda t: _count(t, 0),
        default=0,
        metavar="S",
        help="decides the weights and the order of the data",
    )
    train.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="where the run goes; an older run is replaced"
    )
    train.add_argument("--traceback", action="store_true", help="if backward raises, show Python's traceback too")

    compare = commands.add_parser(
        "grad-compare",
        help="compare the first gradients of two runs, parameter by parameter",
        description="A table with, for each parameter, the norm of either gradient, the largest difference, the cosine "
        "of the angle between them, and a verdict: equal, differs, or missing. "
        "Exit code: 0 all equal, 1 some are not, 2 bad input.",
    )
    compare.add_argument("a", type=Path, metavar="DIR_A", help="a run, the control say")
    compare.add_argument("b", type=Path, metavar="DIR_B", help="another run with the same seed")
    compare.add_argument(
        "--rtol", type=_tolerance, default=1e-4, help="allowed, times the largest element of a gradient (default 1e-4)"
    )
    compare.add_argument("--atol", type=_tolerance, default=1e-7, help="allowed in any case (default 1e-7)")

    commands.add_parser("list", help="the breaks: what each does, what PyTorch makes of it, and the fix")

    claims = commands.add_parser(
        "claims",
        help="measure the claims of the course again: the tables of docs/reference-case.md",
        description="Prints, as Markdown, every table of the reference case but the trainings: the tape walked, what "
        "the course claims against what PyTorch does here, memory, the mechanisms, and each break run.",
    )
    _add_update(claims)

    damage = commands.add_parser(
        "damage",
        help="train the control and every silent break over several seeds, and compare the held-out results",
        description="Trains each variant from the same weights on the same data and prints held-out loss and accuracy "
        "as a Markdown table: mean and standard deviation over the seeds. Two minutes with the defaults.",
    )
    _add_training(damage)
    _add_update(damage)

    reference = commands.add_parser(
        "reference",
        help="measure every table and plot of the documentation again, and write them there",
        description="Trains as `damage` does, measures the rest, and writes the tables and plots of the reference case "
        "in every language below DOCS. Needs a clone of the repository.",
    )
    _add_training(reference)
    reference.add_argument("--docs", type=Path, default=Path("docs"), help="default docs")

    tape = commands.add_parser(
        "tape",
        help="the backward graph: its nodes, what each saved, and when backward frees it",
        description="Runs one forward and its backward, and shows what PyTorch recorded. "
        "Exit code: 0 shown, 1 the backward meets a hazard, 2 bad input.",
    )
    tape.add_argument("--break", dest="break_name", default=registry.CONTROL, metavar="NAME", help="as for `train`")
    tape.add_argument("--fixed", action="store_true", help="apply the fix of that break first")
    tape.add_argument("--order", choices=("forward", "backward"), default="backward", help="default backward")
    tape.add_argument("--format", choices=("text", "json", "dot"), default="text", help="default text")
    tape.add_argument("--html", type=Path, metavar="FILE", help="write a page with lifetimes, memory and graph")
    tape.add_argument("--savings", action="store_true", help="the ops that could write in place, proved by running it")

    lesson = commands.add_parser(
        "lesson",
        help="the diagnostic ladder, from the symptom to the fix, on a broken file that you mend",
        description="Writes a broken file into DIR and goes with you from the symptom to the fix, a step at a time. "
        "Without ACTION: the step where you are. next: the next step. check: runs the file and says whether it is "
        "right. hint: three hints, from soft to direct. reset: hands the file out again and keeps yours beside it. "
        "Nothing waits for input. Exit code: 0, 1 the check found it not right yet, 2 bad input.",
    )
    lesson.add_argument("action", nargs="?", choices=ACTIONS, metavar="ACTION", help=" or ".join(ACTIONS))
    lesson.add_argument("number", nargs="?", type=lambda t: _between(t, 1, 3), metavar="N", help="which hint: 1 to 3")
    lesson.add_argument("--dir", type=Path, default=Path(DEFAULT_FOLDER), help=f"default {DEFAULT_FOLDER}")
    lesson.add_argument("--step", type=lambda t: _between(t, 1, LESSON_STEPS), metavar="N", help=f"1 to {LESSON_STEPS}")
    lesson.add_argument(
        "--break", dest="break_name", metavar="NAME", help="another break than residual-add, for a lesson that begins"
    )
    return parser


def _add_training(command: argparse.ArgumentParser) -> None:
    command.add_argument("--steps", type=lambda t: _count(t, 1), default=2000, metavar="N", help="default 2000")
    command.add_argument(
        "--seeds", type=lambda t: _count(t, 1), default=5, metavar="K", help="seeds 0 to K - 1, default 5"
    )


def _add_update(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--update", type=Path, metavar="FILE", help="write the tables between the markers of this file"
    )
    command.add_argument("--language", choices=LANGUAGES, default="en", help="of the tables, default en")


def main(argv: Sequence[str] | None = None) -> int:
    args = _parser().parse_args(argv)
    try:
        return _COMMANDS[args.command](args)
    except UsageError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _train(args: argparse.Namespace) -> int:
    if args.break_name != registry.CONTROL:
        registry.get(args.break_name)
    elif args.fixed:
        raise UsageError("--fixed needs a --break: there is nothing to fix in the control")
    _require_torch("safetensors", *(["numpy"] if args.break_name == "numpy-view" else []))
    from minigpt_fixture.training import BackwardRaised, TrainOptions, train

    options = TrainOptions(args.out, args.break_name, args.steps, args.seed, args.detect_anomaly, args.fixed)
    show.run_header(options)
    try:
        with show.progress(options.steps) as on_step:
            held_out = train(options, on_step)
    except BackwardRaised as error:
        if args.traceback:
            traceback.print_exc()
        show.raised(options, error)
        return 1
    show.trained(options, held_out)
    return 0


def _compare(args: argparse.Namespace) -> int:
    require("torch", "safetensors")
    from minigpt_fixture.compare import compare, remark
    from minigpt_fixture.runs import read

    a, b = read(args.a), read(args.b)
    rows = compare(a, b, rtol=args.rtol, atol=args.atol)
    show.comparison(args.a, args.b, rows)
    if note := remark(a, b):
        print(f"note: {note}", file=sys.stderr)
    return int(any(row.verdict != "equal" for row in rows))


def _list(args: argparse.Namespace) -> int:
    show.breaks()
    return 0


def _claims(args: argparse.Namespace) -> int:
    _require_torch("numpy")
    from minigpt_fixture.sections import SECTIONS

    return _print_or_update(args, SECTIONS)


def _damage(args: argparse.Namespace) -> int:
    _require_torch("numpy")
    from minigpt_fixture.damage import measure_damage
    from minigpt_fixture.sections import damage_table

    def measured() -> str:
        return damage_table(measure_damage(args.steps, args.seeds, show.damage_run))

    return _print_or_update(args, {"damage": measured})


def _reference(args: argparse.Namespace) -> int:
    _require_torch("numpy", "safetensors", "matplotlib")
    from minigpt_fixture import document
    from minigpt_fixture.damage import measure_damage

    document.check(args.docs)
    for path in document.write_all(args.docs, measure_damage(args.steps, args.seeds, show.damage_run)):
        print(f"changed: {path}")
    return 0


def _tape(args: argparse.Namespace) -> int:
    if args.break_name != registry.CONTROL:
        registry.get(args.break_name)
    elif args.fixed:
        raise UsageError("--fixed needs a --break: there is nothing to fix in the control")
    if args.savings and (args.html is not None or args.format == "dot"):
        raise UsageError("--savings prints text or JSON; leave out --html and --format dot")
    _require_torch("numpy")
    from minigpt_fixture.tape import show_tape

    text, code = show_tape(
        args.break_name,
        repaired=args.fixed,
        order=args.order,
        form=args.format,
        html=args.html,
        savings=args.savings,
    )
    print(text)
    return code


def _lesson(args: argparse.Namespace) -> int:
    from minigpt_fixture.lesson.session import lesson

    if args.number is not None and args.action != "hint":
        raise UsageError("a number belongs to `lesson hint`; a step is chosen with --step")
    if args.step is not None and args.action is not None:
        raise UsageError(f"--step does not go with {args.action}")
    return lesson(args.dir, args.action, step=args.step, break_name=args.break_name, number=args.number)


def _print_or_update(args: argparse.Namespace, sections: Mapping[str, Callable[[], str]]) -> int:
    with language(args.language):
        if args.update is None:
            print("\n\n".join(made() for made in sections.values()))
            return 0
        from minigpt_fixture import document

        document.check_sections(args.update, sections)  # before minutes of work
        changed = document.update(args.update, {name: made() for name, made in sections.items()})
    print(f"{args.update}: {'updated' if changed else 'nothing to change'}")
    return 0


def _require_torch(*packages: str) -> None:
    require("torch", *packages)
    import torch

    torch.set_num_threads(1)  # at this size more threads only cost time


_COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "train": _train,
    "grad-compare": _compare,
    "list": _list,
    "claims": _claims,
    "damage": _damage,
    "tape": _tape,
    "reference": _reference,
    "lesson": _lesson,
}
