"""The error of the silent hazards. Does not import torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inplace_guard.findings import Finding

__all__ = ["InplaceHazardError"]


class InplaceHazardError(RuntimeError):
    """A write that autograd was not told of, or that `frozen` and fail-fast forbid. `findings` says where."""

    def __init__(self, message: str, findings: tuple[Finding, ...] = ()) -> None:
        super().__init__(message)
        self.findings = findings
