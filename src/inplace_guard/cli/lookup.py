"""A rule by what the user typed."""

from __future__ import annotations

import difflib

import click
from click.shell_completion import CompletionItem

from inplace_guard import rules

__all__ = ["complete_code", "complete_codes", "find_rule"]


def find_rule(ctx: click.Context, param: click.Parameter, value: str) -> rules.Rule:
    """Callback of an argument that is a code (`IPG101`) or a name (`saved-tensor-overwritten`)."""
    text = value.strip()
    try:
        return rules.get(text)
    except KeyError:
        family = [code for code in rules.CATALOGUE if text and code.startswith(text.upper())]
        if family:
            raise click.BadParameter(f"{text} is a family of rules; name one of {', '.join(family)}") from None
        known = {word.lower(): word for rule in rules.CATALOGUE.values() for word in (rule.code, rule.name)}
        close = difflib.get_close_matches(text.lower(), known, 1)
        hint = f"did you mean {known[close[0]]}?" if close else "`inplace-guard rules` lists them"
        raise click.BadParameter(f"there is no rule {text!r}; {hint}") from None


def complete_code(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [
        CompletionItem(code, help=rule.name)
        for code, rule in rules.CATALOGUE.items()
        if code.startswith(incomplete.upper())
    ]


def complete_codes(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Of codes between commas the last one."""
    known, comma, last = incomplete.rpartition(",")
    return [CompletionItem(known + comma + item.value, help=item.help) for item in complete_code(ctx, param, last)]
