"""`inplace-guard explain`."""

from __future__ import annotations

import click

from inplace_guard.cli.lookup import complete_code, find_rule
from inplace_guard.cli.streams import console
from inplace_guard.report.rulebook import hint_markdown, rule_markdown
from inplace_guard.rules import Rule

__all__ = ["explain"]


@click.command(
    short_help="Explain a rule, or give a hint.",
    epilog="""\b
Examples:
  inplace-guard explain IPG101
  inplace-guard explain saved-tensor-overwritten
  inplace-guard explain IPG101 --hint 1    a question to think about; 3 gives the answer
""",
)
@click.argument("rule", callback=find_rule, shell_complete=complete_code, metavar="CODE")
@click.option("--hint", type=click.IntRange(1, 3), help="Only a hint: 1 soft, 2 middle, 3 direct.")
def explain(rule: Rule, hint: int | None) -> int:
    """Explain a rule: what it finds, why that is wrong, and how to fix it.

    CODE is what a finding shows, such as IPG101, or the name of the rule.
    """
    from rich.markdown import Markdown

    if hint is None:
        text = rule_markdown(rule)
    elif rule.hints[hint - 1]:
        text = hint_markdown(rule, hint)
    else:
        raise click.ClickException(f"{rule.code} has no hints; see: inplace-guard explain {rule.code}")
    terminal = console()
    if terminal.is_terminal:
        terminal.print(Markdown(text))
    else:
        click.echo(text, nl=False)
    return 0
