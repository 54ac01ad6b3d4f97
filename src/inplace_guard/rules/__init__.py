"""The catalogue of rules: data and prose only. What finds them lives in `analysis` and `runtime`."""

from __future__ import annotations

from collections.abc import Iterable

from inplace_guard.rules import backward_raises, graph_life, opinionated, silent
from inplace_guard.rules.model import Rule

__all__ = ["CATALOGUE", "Rule", "get", "resolve"]

CATALOGUE: dict[str, Rule] = {
    rule.code: rule
    for family in (backward_raises.RULES, silent.RULES, graph_life.RULES, opinionated.RULES)
    for rule in family
}


def get(code_or_name: str) -> Rule:
    """The rule with this code (`IPG101`) or name (`saved-tensor-overwritten`).

    Raises KeyError if there is none.
    """
    if rule := CATALOGUE.get(code_or_name.upper()):
        return rule
    for rule in CATALOGUE.values():
        if rule.name == code_or_name.lower():
            return rule
    raise KeyError(code_or_name)


def resolve(select: Iterable[str] = ("IPG",), ignore: Iterable[str] = ()) -> frozenset[str]:
    """The codes that a selection of prefixes turns on; the longer prefix wins, as in flake8.

    Rules that are off by default need a prefix that reaches into their family (`IPG9`, `IPG902`): plain `IPG` or `I`
    does not turn them on.
    """
    chosen, dropped = tuple(select), tuple(ignore)

    def reach(code: str, prefixes: tuple[str, ...]) -> int:
        return max((len(p) for p in prefixes if code.startswith(p)), default=0)

    codes = set()
    for code, rule in CATALOGUE.items():
        wanted = reach(code, chosen)
        if wanted > reach(code, dropped) and (rule.default or wanted > len("IPG")):
            codes.add(code)
    return frozenset(codes)
