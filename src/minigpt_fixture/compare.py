"""Compares the first-step gradients of two runs, parameter by parameter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from minigpt_fixture.errors import UsageError
from minigpt_fixture.runs import Run

__all__ = ["Row", "compare", "remark"]

Verdict = Literal["equal", "differs", "missing"]


@dataclass(frozen=True, slots=True)
class Row:
    """One parameter. A norm is None where the run has no gradient for it."""

    name: str
    norm_a: float | None
    norm_b: float | None
    max_difference: float | None
    cosine: float | None
    verdict: Verdict


def compare(a: Run, b: Run, *, rtol: float = 1e-4, atol: float = 1e-7) -> list[Row]:
    """Equal means: no element differs by more than `atol` + `rtol` times the largest element of that gradient.

    A parameter that has no gradient in either run is equal. Raises UsageError.
    """
    for key, label in (("seed", "seed"), ("model", "model"), ("corpus", "corpus"), ("parameters", "parameters")):
        if a.config[key] != b.config[key]:
            values = f": {a.config[key]} and {b.config[key]}" if key == "seed" else ""
            raise UsageError(f"{a.folder} and {b.folder} cannot be compared: another {label}{values}")
    return [_row(name, a, b, rtol, atol) for name in a.parameters]


def remark(a: Run, b: Run) -> str | None:
    """What does not forbid the comparison, and may explain a small difference."""
    ours, theirs = a.config.get("torch"), b.config.get("torch")
    if ours == theirs:
        return None
    return f"{a.folder} was trained with torch {ours} and {b.folder} with torch {theirs}: rounding may differ"


def _row(name: str, a: Run, b: Run, rtol: float, atol: float) -> Row:
    x, y = a.gradients.get(name), b.gradients.get(name)
    norm_x = None if x is None else x.norm().item()
    norm_y = None if y is None else y.norm().item()
    if x is None or y is None:
        return Row(name, norm_x, norm_y, None, None, "equal" if x is y else "missing")
    difference = (x - y).abs().max().item()
    largest = max(x.abs().max().item(), y.abs().max().item())
    norms = x.norm() * y.norm()
    cosine = ((x * y).sum() / norms).item() if norms > 0 else None
    return Row(name, norm_x, norm_y, difference, cosine, "equal" if difference <= atol + rtol * largest else "differs")
