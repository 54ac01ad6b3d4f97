"""What every kind of fix is given, and what it gives back."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from inplace_guard.findings import Finding
from inplace_guard.fixes.checking import Checking
from inplace_guard.fixes.judge import Judge, Write
from inplace_guard.fixes.program import Program
from inplace_guard.fixes.text import Edit, SourceText, Unfixable, difference
from inplace_guard.fixes.tree import path_of
from inplace_guard.fixes.verdict import SAFE, Verdict

__all__ = ["Context", "Proposal"]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A fix that can be written down. `verdict` says whether it should be."""

    description: str
    edits: tuple[Edit, ...]
    verdict: Verdict = SAFE


class Context:
    """One finding in its file."""

    def __init__(
        self, text: SourceText, program: Program, judge: Judge, finding: Finding, checking: Checking | None = None
    ) -> None:
        self.checking = checking
        self.text = text
        self.program = program
        self.tree = program.tree
        self.judge = judge
        self.finding = finding
        self.code = finding.code

    def kinds(self, node: ast.expr) -> frozenset[str]:
        """What checking saw the expression to be; empty if that is not known."""
        return self.checking.kinds(node) - {"unknown", "history"} if self.checking is not None else frozenset()

    def is_tracked(self, node: ast.expr) -> bool | None:
        """Whether checking saw that the value may require grad; None if that is not known."""
        kinds = self.checking.kinds(node) if self.checking is not None else frozenset()
        return "history" in kinds if kinds - {"unknown"} else None

    def propose(self, description: str, edits: Sequence[Edit], write: Write, *others: Verdict) -> Proposal:
        verdict = self.judge.verdict(write)
        for other in others:
            verdict = verdict.worse(other)
        return Proposal(description, tuple(edits), verdict)

    def replace(self, node: ast.stmt | ast.expr, new: str) -> Edit:
        """The smallest edit that gives the node this text."""
        start, end = self.text.span(node)
        return difference(self.text.text[start:end], new, start)

    def assign(self, target: str, statement: ast.Expr, value: str) -> list[Edit]:
        """`value` for the statement's expression, given to `target`; brackets around the expression stay."""
        start, end = self.text.span(statement.value)
        if start == self.text.span(statement)[0]:
            return [difference(self.text.text[start:end], f"{target} = {value}", start)]
        return [self.insert(self.text.span(statement)[0], f"{target} = "), self.replace(statement.value, value)]

    def insert(self, offset: int, content: str) -> Edit:
        return Edit(offset, offset, content)

    def lines_of(self, statement: ast.stmt) -> tuple[int, int]:
        """Where the lines of a statement start and end, its line end included. Raises Unfixable if it shares them."""
        start, end = self.text.span(statement)
        indentation = self.text.indentation(start)
        rest, _, _ = self.text.text[end:].partition("\n")
        rest = rest.rstrip("\r")
        if indentation is None or (rest.strip() and not rest.lstrip().startswith("#")) or "\r" in rest:
            raise Unfixable("another statement stands on its line")
        after = end + len(rest)
        return start - len(indentation), min(after + len(self.text.line_end(after)), len(self.text.text))

    def before(self, statement: ast.stmt, *lines: str) -> Edit:
        """Statements in front of this one: lines of their own, if it stands first on its line."""
        start, _ = self.text.span(statement)
        indentation = self.text.indentation(start)
        if indentation is None:
            return Edit(start, start, "".join(f"{line}; " for line in lines))
        end = self.text.line_end(start)
        return Edit(start, start, "".join(f"{line}{end}{indentation}" for line in lines))

    def simple_statement(self, node: ast.AST) -> ast.stmt:
        """The node's statement, which must be one that others can be put in front of. Raises Unfixable."""
        statement = self.tree.statement(node)
        if not isinstance(
            statement, ast.Expr | ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Return | ast.Assert | ast.Delete
        ):
            raise Unfixable("it is written in the head of a compound statement")
        return statement

    def also_rebound(self, path: str, node: ast.Call) -> str:
        """The name that is written and has to get the new tensor too: `y = h.relu_()`, where h is read later.

        Raises Unfixable if it cannot get it. Empty if it need not.
        """
        statement = self.tree.statement(node)
        if not path or "." in path or not self.judge.is_read_later(path, node) or self.code in ("IPG207", "IPG212"):
            return ""
        if not isinstance(statement, ast.Assign) or statement.value is not node:
            return ""
        if any(path_of(target) == path for target in statement.targets):
            return ""
        if any(not path_of(target) for target in statement.targets):
            raise Unfixable(f"`{path}` is read afterwards, and would have to get the new tensor as well")
        return path

    def fresh_name(self, wanted: str, taken: Collection[str] = ()) -> str:
        """A name that neither the file uses nor anybody has `taken`."""
        name = wanted
        while name in self.tree.identifiers or name in taken:
            name = f"new_{name}"
        return name
