"""What checking a file tells those who rewrite it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from inplace_guard.findings import Finding

__all__ = ["WHOLE", "Checking", "Trial"]

WHOLE = range(1, sys.maxsize)  # all lines of a file


@dataclass(frozen=True, slots=True)
class Trial:
    """A change that is to settle a finding. `before` are lines of the file, `after` what has become of them: nothing
    else was changed for it."""

    finding: Finding
    before: range
    after: range


@dataclass(frozen=True, slots=True)
class Checking:
    """`fewer`: how many findings fewer a changed text has by each trial, whose lines are apart; None for one whose
    finding is still there, or whose changed lines have one; no list if the trials cannot be told from each other.
    `spent`: whether so much was tried that nothing more should be. `kinds`: what an expression of the file was,
    "tensor", "array", "none", "sequence", "dict", "other", "unknown", and "history" if it may require grad; empty if it
    was not run."""

    fewer: Callable[[bytes, Sequence[Trial]], list[int | None] | None]
    spent: Callable[[], bool]
    kinds: Callable[[ast.expr], frozenset[str]]
