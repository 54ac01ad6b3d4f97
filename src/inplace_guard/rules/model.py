"""What one rule says about itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """One entry of the catalogue.

    `message` is the one-line summary. `bad` and `good` are complete programs: `bad` has its hazard on the line marked
    `# <- CODE`, and running `good` gives what was meant; tests lint and run both, and the docs show them.
    `hints` teach from soft to direct. `static` / `runtime`: which half reports it.
    """

    code: str
    name: str
    message: str
    why: str = ""
    bad: str = ""
    good: str = ""
    safe_when: str = ""
    pytorch_says: str = ""
    fix_safety: str = ""
    hints: tuple[str, str, str] = ("", "", "")
    fixable: bool = False
    default: bool = True
    static: bool = True
    runtime: bool = True
