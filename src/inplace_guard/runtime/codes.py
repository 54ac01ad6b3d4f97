"""Rule codes as people give them. Does not import torch."""

from __future__ import annotations

from collections.abc import Iterable

from inplace_guard import rules

__all__ = ["codes_of"]


def codes_of(given: str | Iterable[str]) -> frozenset[str]:
    """Codes (`IPG201`), names (`data-write`) and families (`IPG2`) as codes. ValueError for what no rule answers to."""
    codes: set[str] = set()
    for entry in (given,) if isinstance(given, str) else given:
        text = str(entry)
        found = {code for code, rule in rules.CATALOGUE.items() if code.startswith(text.upper()) or rule.name == text}
        if not found or not text:
            raise ValueError(f"no rule {text!r}")
        codes |= found
    return frozenset(codes)
