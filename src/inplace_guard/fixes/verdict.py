"""How sure it is that a fix is right."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

__all__ = ["SAFE", "Applicability", "Verdict"]

Applicability = Literal["safe", "unsafe", "none"]
_ORDER: tuple[Applicability, ...] = ("safe", "unsafe", "none")


@dataclass(frozen=True, slots=True)
class Verdict:
    """`reason` is why it is not safe: one clause for a person. `seen`: others would read the old values; `held`: they
    may do so."""

    applicability: Applicability
    reason: str = ""
    seen: bool = False
    held: bool = False

    @classmethod
    def doubt(cls, reason: str, *, held: bool = False) -> Verdict:
        """It may be what is meant, but a person has to look."""
        return cls("unsafe", reason, held=held)

    @classmethod
    def refuse(cls, reason: str) -> Verdict:
        return cls("none", reason)

    @classmethod
    def for_others(cls, reason: str) -> Verdict:
        """Refused: the write is made for somebody else who holds the tensor."""
        return cls("none", reason, held=True)

    @classmethod
    def others_see(cls, reason: str) -> Verdict:
        """Refused, since somebody else reads the memory; where such a reader cannot have been meant, a doubt."""
        return cls("none", reason, seen=True)

    def worse(self, other: Verdict) -> Verdict:
        if self.applicability == other.applicability:
            return replace(self, seen=self.seen or other.seen, held=self.held or other.held)
        return self if _ORDER.index(self.applicability) > _ORDER.index(other.applicability) else other


SAFE = Verdict("safe")
