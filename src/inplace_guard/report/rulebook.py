"""The catalogue of rules as text: for the terminal, for the docs, for code scanning."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator

from inplace_guard import rules
from inplace_guard.findings import SCHEMA
from inplace_guard.rules import Rule

__all__ = ["COLUMNS", "catalogue_json", "catalogue_markdown", "catalogue_rows", "hint_markdown", "rule_markdown"]

COLUMNS = ("Code", "Name", "Found", "Default", "Fix", "Message")


def rule_markdown(rule: Rule) -> str:
    """The page of one rule."""
    chosen = "on by default" if rule.default else f"only if selected as IPG9 or {rule.code}"
    fix = "; `inplace-guard check --fix` can rewrite it" if rule.fixable else ""
    parts = [f"# {rule.code} {rule.name}", f"Found in: {_found(rule)}; {chosen}{fix}."]
    sections = (
        ("What it does", f"{rule.message}."),
        ("Why is this bad", rule.why),
        ("Example", _fenced(rule.bad)),
        ("Use instead", _fenced(rule.good)),
        ("When it is safe", rule.safe_when),
        ("What PyTorch says", rule.pytorch_says),
        ("Fix safety", rule.fix_safety),
    )
    for title, text in sections:
        if text.strip():
            parts += [f"## {title}", text.strip()]
    if all(rule.hints):
        parts.append(f"Hints, from soft to direct: `inplace-guard explain {rule.code} --hint 1`, then 2 and 3.")
    return "\n\n".join(parts) + "\n"


def hint_markdown(rule: Rule, number: int) -> str:
    more = f"\n\nMore: inplace-guard explain {rule.code} --hint {number + 1}" if number < len(rule.hints) else ""
    return f"{rule.code} {rule.name}, hint {number} of {len(rule.hints)}\n\n{rule.hints[number - 1].strip()}{more}\n"


def catalogue_rows() -> Iterator[tuple[str, ...]]:
    for rule in rules.CATALOGUE.values():
        default, fixable = ("yes" if flag else "no" for flag in (rule.default, rule.fixable))
        yield rule.code, rule.name, _found(rule), default, fixable, rule.message


def catalogue_markdown() -> str:
    rows = [COLUMNS, ("---",) * len(COLUMNS), *catalogue_rows()]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |\n" for row in rows)


def catalogue_json() -> str:
    listed = [dataclasses.asdict(rule) for rule in rules.CATALOGUE.values()]
    return json.dumps({"schema": SCHEMA, "rules": listed}, indent=2)


def _found(rule: Rule) -> str:
    halves = [name for name, flag in (("source", rule.static), ("run time", rule.runtime)) if flag]
    return ", ".join(halves)


def _fenced(code: str) -> str:
    return f"```python\n{code.strip()}\n```" if code.strip() else ""
