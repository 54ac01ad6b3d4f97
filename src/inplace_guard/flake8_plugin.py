"""The flake8 extension `IPG`: hands flake8's own tree and lines to the analysis."""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from flake8.options.manager import OptionManager
from flake8.style_guide import Decision, DecisionEngine

from inplace_guard import __version__, rules
from inplace_guard.analysis import analyze
from inplace_guard.analysis.project import Project, roots_of
from inplace_guard.problems import internal_error

__all__ = ["Plugin"]


class Plugin:
    """One instance a file; flake8 passes the arguments by name."""

    name = "inplace-guard"
    version = __version__
    codes: ClassVar[frozenset[str]] = rules.resolve()
    project: ClassVar[Project | None] = None

    def __init__(self, tree: ast.Module, filename: str, lines: Sequence[str]) -> None:
        self.tree = tree
        self.filename = filename
        self.lines = lines

    @classmethod
    def add_options(cls, manager: OptionManager) -> None:
        manager.add_option(
            "--inplace-guard-isolated",
            action="store_true",
            default=False,
            parse_from_config=True,
            help="Analyse each file by itself: do not follow its imports into other files of the project.",
        )

    @classmethod
    def parse_options(cls, options: argparse.Namespace) -> None:
        cls.codes = selected_codes(options)
        cls.project = None if options.inplace_guard_isolated else Project(roots_of(options.filenames or ["."]))

    def run(self) -> Iterator[tuple[int, int, str, type[Any]]]:
        if not self.codes:
            return
        source = "".join(self.lines)
        try:
            findings = analyze(source, self.filename, tree=self.tree, codes=self.codes, project=self.project).findings
        except Exception as error:  # flake8 would stop the whole run, and has no way to report this and go on
            message = f"{internal_error(error)}; it was not checked, please report it with this file"
            print(f"{self.filename}: inplace-guard: {message}", file=sys.stderr, flush=True)
            return
        for finding in findings:
            column = max(finding.write.column - 1, 0)
            yield finding.write.line, column, f"{finding.code} {finding.message}", type(self)


def selected_codes(options: argparse.Namespace) -> frozenset[str]:
    """The codes that flake8 would report under these options, so that nothing else is computed.

    flake8 itself reports off-by-default codes under a plain `--select IPG`, and by default. Here they also need to be
    named: a selection longer than the plugin's prefix (`IPG9`, `IPG902`) in `select` or `extend-select`. What
    `--enable-extensions` says is not passed on to plugins.
    """
    named = [*(options.select or ()), *(options.extend_select or ())]
    engine = DecisionEngine(options)
    return frozenset(
        code
        for code, rule in rules.CATALOGUE.items()
        if rule.static
        and (rule.default or any(len(prefix) > len("IPG") and code.startswith(prefix) for prefix in named))
        and engine.decision_for(code) is Decision.Selected
    )
