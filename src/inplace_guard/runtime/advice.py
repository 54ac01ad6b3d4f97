"""The way out, in the user's own terms."""

from __future__ import annotations

from inplace_guard.runtime.capture import expression
from inplace_guard.runtime.journal import Write
from inplace_guard.runtime.postmortem import Hit
from inplace_guard.runtime.sites import place_of

__all__ = ["for_optimizer", "for_write"]


def for_optimizer() -> list[str]:
    return [
        "fix: call backward before step(), or run the forward again after step() and use its result",
        "not a fix: retain_graph=True keeps the stale graph, and detaching the loss stops training",
    ]


def for_write(write: Write, hit: Hit, name: str | None) -> list[str]:
    text = (expression(place_of(write)) or "").strip().split("\n")[0]
    return [f"fix: compute the new value out of place instead of `{text}`"] if text else []
