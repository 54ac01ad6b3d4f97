"""`inplace-guard tape`."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Literal

import click

__all__ = ["tape"]


@click.command(
    short_help="Show the backward graph of a loss: nodes, saved tensors, memory.",
    epilog="""\b
Examples:
  inplace-guard tape train:loss
  inplace-guard tape train.py:loss --order forward
  inplace-guard tape train:loss --html tape.html
  inplace-guard tape train:loss --savings

\b
Exit code: 0 shown; 1 the backward meets an in-place hazard; 2 wrong usage, or there is no graph to show.
""",
)
@click.option(
    "--order",
    type=click.Choice(["forward", "backward"]),
    default="backward",
    show_default=True,
    help="Which node comes first: the one that was made first, or the one that runs first in backward.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "dot"]),
    default="text",
    show_default=True,
    help="text: a table; json: for other programs; dot: for Graphviz.",
)
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a page with lifetimes, memory and graph to FILE, and print the totals only.",
)
@click.option(
    "--savings", is_flag=True, help="List the ops that could write in place, and what that saves, proved by running it."
)
@click.argument("target", metavar="MODULE:FUNCTION")
def tape(
    target: str, order: Literal["forward", "backward"], form: Literal["text", "json", "dot"], html: Path | None,
    savings: bool,
) -> int:  # fmt: skip
    """Show what PyTorch recorded for a loss, and when backward frees it.

    FUNCTION takes no arguments and returns the loss; a file (train.py:loss) works as well as a module. It is run under
    the guard, then the backward of the loss is run. Needs torch.
    """
    if importlib.util.find_spec("torch") is None:
        raise click.ClickException(
            f"`tape` needs PyTorch, which is not installed for {sys.executable}; "
            "`pip install 'inplace-guard[runtime]'` installs it. `inplace-guard check` works without."
        )
    from inplace_guard.runtime.tape import TapeError
    from inplace_guard.runtime.tape.command import show, show_savings
    from inplace_guard.runtime.tape.target import load

    try:
        function = load(target)
        if savings:
            if html is not None or form == "dot":
                raise click.UsageError("--savings prints text or JSON; leave out --html and --format dot")
            text, code = show_savings(function, target, as_json=form == "json")
        else:
            text, code = show(function, target, order, form, html)
    except TapeError as error:
        raise click.ClickException(str(error)) from None
    click.echo(text)
    return code
