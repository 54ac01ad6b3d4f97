"""IPG9xx: opinionated; reported only when selected by name or as IPG9."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULES = (
    Rule(
        code="IPG901",
        name="inplace-on-requires-grad",
        message="In-place write to a tensor that requires grad",
        default=False,
        runtime=False,
    ),
    Rule(
        code="IPG902",
        name="argument-written",
        message="A function writes its tensor argument in place",
        default=False,
        runtime=False,
    ),
)
