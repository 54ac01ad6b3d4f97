"""What checking a file tells those who rewrite it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from inplace_guard.findings import Finding

__all__ = ["Checking"]


@dataclass(frozen=True, slots=True)
class Checking:
    """`fewer`: how many findings fewer a changed text has; None if the given finding is still there, or a changed line
    has one. `kinds`: what an expression of the file was, "tensor", "array", "none", "sequence", "dict", "other",
    "unknown", and "history" if it may require grad; empty if it was not run."""

    fewer: Callable[[bytes, Finding], int | None]
    kinds: Callable[[ast.expr], frozenset[str]]
