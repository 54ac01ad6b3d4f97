"""The static half: source text -> findings. Never imports torch."""

from __future__ import annotations

import ast
import gc
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from inplace_guard import rules
from inplace_guard.findings import Finding

if TYPE_CHECKING:
    from inplace_guard.analysis.project import Project

__all__ = ["Analysis", "analyze", "why_not"]


@dataclass(slots=True)
class Analysis:
    """What one file gave: its findings in line order, and notes for `--verbose` (a bound that was hit, say).

    `skipped` says why it was not analysed, if it was not.
    """

    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    skipped: str = ""


def why_not(source: str, path: str, project: Project | None) -> str:
    """Why a file need not be analysed, nor parsed; empty if it must be."""
    if "torch" in source:
        return ""
    if project is None:
        return "does not mention torch: not analysed"
    from inplace_guard.analysis.mentions import leads_to_torch

    led = leads_to_torch(source, path, project)
    return "" if led else "neither mentions torch nor imports files of the project that do: not analysed"


def analyze(
    source: str,
    path: str = "<stdin>",
    *,
    tree: ast.Module | None = None,
    codes: Collection[str] | None = None,
    project: Project | None = None,
) -> Analysis:
    """Analyse one file.

    With a `project`, in which `path` names a file, what it imports from the project's other files is followed. A file
    that does not mention torch is analysed only if it imports files of the project that do.
    `tree` is its parsed form if the caller has it already. `codes` are the rules to report (default: those on by
    default). Raises SyntaxError (or ValueError for a null byte) if `tree` is None and the source does not parse.
    """
    wanted = rules.resolve() if codes is None else frozenset(codes)
    if not wanted:
        return Analysis()
    if reason := why_not(source, path, project):
        return Analysis(skipped=reason)
    # Loaded here, so that a file without torch costs no more than the tests above.
    from inplace_guard.analysis.entries import Runner
    from inplace_guard.analysis.messages import finding

    if tree is None and project is not None:
        tree = project.tree(source, path)
    if tree is None:
        try:
            tree = ast.parse(source, path)
        except (RecursionError, MemoryError):
            raise SyntaxError("nested too deeply to parse", (path, 1, 1, None)) from None
    collecting = gc.isenabled()
    gc.disable()  # trees are large and hold no circles; the collector would go through all of them again and again
    try:
        scope = project.home(tree, source, path) if project is not None else None
        runner = Runner(tree, source, wanted, scope)
        runner.run()
        hazards = [hazard for hazard in runner.reported() if hazard.code in wanted]
    finally:
        if collecting:
            gc.enable()
    return Analysis([finding(hazard, path, runner.scope) for hazard in hazards], runner.notes)
