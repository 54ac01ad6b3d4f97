"""`inplace-guard diagnose`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from inplace_guard.cli.streams import console, read_stdin

__all__ = ["diagnose"]


@click.command(
    short_help="Name the line behind an error in a log.",
    epilog="""\b
Examples:
  inplace-guard diagnose slurm-1234.out
  inplace-guard diagnose slurm-1234.out --root ~/code/project
  kubectl logs trainer-0 | inplace-guard diagnose - --format json

\b
Exit code: 0 a line was named for each error of the log; 1 there is no such error in it, or none
could be named; 2 wrong usage, or the log could not be read.
""",
)
@click.argument("log", type=click.Path(allow_dash=True), metavar="FILE")
@click.option(
    "--root",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The folder of the program, if it is not this one. Paths of the log are looked for below it by their ends.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="text: for people; json: for other programs.",
)
def diagnose(log: str, root: Path | None, format_: str) -> int:
    """Name the write behind an error of PyTorch, from the log of a job and the local source.

    FILE is a log that holds the error and its traceback (- reads standard input). Mixed output of several ranks, times
    in front of the lines and paths of another machine do no harm; anomaly mode's part helps. The code is neither
    imported nor run.
    """
    from inplace_guard.diagnose import diagnose as explain
    from inplace_guard.report.diagnosis import diagnosis_json, diagnosis_text

    text = _read(log)
    folder = Path.cwd() if root is None else root
    if not folder.is_dir():
        raise click.BadParameter(f"{folder} is no folder", param_hint="--root")
    report = explain(text, folder)
    if format_ == "json":
        click.echo(diagnosis_json(report))
    else:
        terminal = console(soft_wrap=True)
        for line in diagnosis_text(report):
            terminal.print(line)
        for problem in report.problems:
            print(f"{log}: {problem}", file=sys.stderr)
    return 0 if report.complete else 1


def _read(name: str) -> str:
    from inplace_guard.diagnose.reading import decode, read_file

    try:
        if name == "-":
            return decode(read_stdin())
        path = Path(name)
        if path.exists() and not path.is_file() and not path.is_fifo():
            raise click.ClickException(f"{name}: is no file; name the log, or - for standard input")
        return read_file(path)
    except OSError as error:
        raise click.ClickException(f"{name}: cannot be read: {error.strerror or error}") from None
