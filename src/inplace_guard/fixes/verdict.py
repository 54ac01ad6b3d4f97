"""How sure it is that a fix is right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["SAFE", "Applicability", "Verdict"]

Applicability = Literal["safe", "unsafe", "none"]
_ORDER: tuple[Applicability, ...] = ("safe", "unsafe", "none")


@dataclass(frozen=True, slots=True)
class Verdict:
    """`reason` is why it is not safe: one clause for a person. `seen`: others would read the old values."""

    applicability: Applicability
    reason: str = ""
    seen: bool = False

    @classmethod
    def doubt(cls, reason: str) -> Verdict:
        """It may be what is meant, but a person has to look."""
        return cls("unsafe", reason)

    @classmethod
    def refuse(cls, reason: str) -> Verdict:
        return cls("none", reason)

    @classmethod
    def others_see(cls, reason: str) -> Verdict:
        """Refused, since somebody else reads the memory; where such a reader cannot have been meant, a doubt."""
        return cls("none", reason, seen=True)

    def worse(self, other: Verdict) -> Verdict:
        return self if _ORDER.index(self.applicability) >= _ORDER.index(other.applicability) else other


SAFE = Verdict("safe")
