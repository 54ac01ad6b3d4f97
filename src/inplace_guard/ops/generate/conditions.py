"""Find the argument on which a write or a save depends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

# Where several arguments separate the samples equally well, these explain it.
_TELLING = ("inplace", "training", "train", "max_norm", "mode", "reduction", "use_input_stats", "copy")


def condition(labelled: Sequence[tuple[dict[str, Any], bool]]) -> str:
    """The condition (see `inplace_guard.ops.model`) that separates the calls where it happened from the others."""
    if all(happened for _, happened in labelled):
        return ""
    names = [name for name in labelled[0][0] if all(name in values for values, _ in labelled)]
    found = {name: text for name in names if (text := _explains(name, labelled))}
    for name in _TELLING:
        if name in found:
            return found[name]
    return next(iter(found.values())) if len(found) == 1 else "?"


def _explains(name: str, labelled: Sequence[tuple[dict[str, Any], bool]]) -> str:
    values = [(values[name], happened) for values, happened in labelled]
    tests: list[tuple[str, Callable[[Any], bool]]] = [(name, _true), (f"!{name}", lambda value: not _true(value))]
    if any(isinstance(value, float) for value, _ in values):
        tests = []  # a number that happens to be zero in one sample explains nothing
    for text, test in tests:
        if all(test(value) == happened for value, happened in values):
            return text
    if all(isinstance(value, str) for value, _ in values):
        yes = {value for value, happened in values if happened}
        if not yes & {value for value, happened in values if not happened}:
            return f"{name}={'/'.join(sorted(yes))}"
    return ""


def _true(value: Any) -> bool:
    return bool(value) if isinstance(value, (bool, int, str, list, tuple, dict)) else value is not None
