"""The command line: train, grad-compare, list."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

from minigpt_fixture import registry, show
from minigpt_fixture.errors import UsageError, require

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
        help="run under PyTorch's anomaly mode, which names the forward line that saved the tensor (and not the line "
        "that wrote it)",
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
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    args = _parser().parse_args(argv)
    command: Callable[[argparse.Namespace], int] = {"train": _train, "grad-compare": _compare, "list": _list}[
        args.command
    ]
    try:
        return command(args)
    except UsageError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


def _train(args: argparse.Namespace) -> int:
    if args.break_name != registry.CONTROL:
        registry.get(args.break_name)
    elif args.fixed:
        raise UsageError("--fixed needs a --break: there is nothing to fix in the control")
    require("torch", "safetensors", *(["numpy"] if args.break_name == "numpy-view" else []))
    import torch

    from minigpt_fixture.training import BackwardRaised, TrainOptions, train

    torch.set_num_threads(1)  # at this size more threads only cost time
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
    from minigpt_fixture.compare import compare_folders

    rows = compare_folders(args.a, args.b, rtol=args.rtol, atol=args.atol)
    show.comparison(args.a, args.b, rows)
    return int(any(row.verdict != "equal" for row in rows))


def _list(args: argparse.Namespace) -> int:
    show.breaks()
    return 0
