"""`inplace-guard rules`."""

from __future__ import annotations

import click

from inplace_guard.cli.streams import console
from inplace_guard.report import rulebook

__all__ = ["rules"]

_NARROWEST = 100  # columns that a table needs


@click.command(short_help="List the rules.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["table", "json", "markdown"]),
    default="table",
    show_default=True,
    help="table: for people; json and markdown: for other programs and pages.",
)
def rules(format_: str) -> int:
    """List the rules: code, name, which half finds it, whether it is on by default, and its message."""
    if format_ == "json":
        click.echo(rulebook.catalogue_json())
    elif format_ == "markdown":
        click.echo(rulebook.catalogue_markdown(), nl=False)
    else:
        _show_table()
    return 0


def _show_table() -> None:
    from rich.table import Table

    rows = list(rulebook.catalogue_rows())
    terminal = console()
    if not terminal.is_terminal or terminal.width < _NARROWEST:  # one line a rule, for grep
        widths = [max(map(len, column)) for column in zip(rulebook.COLUMNS, *rows, strict=True)]
        for row in (rulebook.COLUMNS, *rows):
            click.echo("  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip())
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in rulebook.COLUMNS:
        table.add_column(title, no_wrap=title != rulebook.COLUMNS[-1])
    for row in rows:
        table.add_row(*row)
    terminal.print(table)
