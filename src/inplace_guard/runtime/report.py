"""Findings put together, and added to an error's message as plain lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inplace_guard import rules
from inplace_guard.findings import Finding, Site
from inplace_guard.runtime.errors import InplaceHazardError

__all__ = ["count", "enrich", "finding", "hazard", "render"]

_INDENT = "  "
EXPLAINED = "_inplace_guard_findings"


def finding(
    code: str,
    message: str,
    write: Site,
    *,
    saved: Site | None = None,
    needed: Site | None = None,
    details: Iterable[str] = (),
    certain: bool = True,
) -> Finding:
    return Finding(
        code=code,
        rule=rules.get(code).name,
        source="runtime",
        certainty="certain" if certain else "likely",
        message=message,
        write=write,
        saved=saved,
        needed=needed,
        details=tuple(details),
    )


def count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def render(findings: Sequence[Finding]) -> str:
    """The report as plain lines, for the end of an error's message."""
    lines = ["inplace-guard:"]
    for found in findings:
        lines.append(f"{_INDENT}{found.code} {found.message}")
        for label, where in (("wrote", found.write), ("saved", found.saved), ("needed", found.needed)):
            if where is not None:
                module = f" in {where.module}" if where.module else ""
                lines.append(f"{_INDENT * 2}{label:<7}{where.path}:{where.line}{module}: {where.source or where.op}")
        lines += [f"{_INDENT * 2}{detail}" for detail in found.details]
    return "\n".join(lines)


def hazard(findings: Sequence[Finding]) -> InplaceHazardError:
    """The error for these. Raise it where it is made: a variable that holds it would keep its frames alive."""
    error = InplaceHazardError(f"{findings[0].message}\n\n{render(findings)}", tuple(findings))
    setattr(error, EXPLAINED, tuple(findings))
    return error


def enrich(error: BaseException, findings: Sequence[Finding]) -> None:
    """Add the report below the message: same object, same type, same first line."""
    if not findings or not error.args or not isinstance(error.args[0], str):
        return
    error.args = (f"{error.args[0]}\n\n{render(findings)}", *error.args[1:])
    setattr(error, EXPLAINED, tuple(findings))
