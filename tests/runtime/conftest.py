"""Runs small programs under a guard. Lines that say `# wrote`, `# saved`, `# needed` are where findings must point."""

from __future__ import annotations

import linecache
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import torch

from inplace_guard.findings import Finding
from inplace_guard.runtime import careful
from inplace_guard.runtime.guard import guard


@pytest.fixture(autouse=True)
def _faults_are_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Outside of the tests a fault of the guard is a warning."""

    def fail(fault: Exception) -> None:
        raise fault

    monkeypatch.setattr(careful, "tell", fail)


@pytest.fixture(autouse=True)
def _same_numbers() -> Iterator[None]:
    torch.manual_seed(0)
    yield
    torch.set_grad_enabled(True)


@dataclass
class Outcome:
    """`value` is what the program left in the variable `result`, else all its tensors and their gradients."""

    findings: list[Finding]
    error: BaseException | None
    value: Any
    marked: dict[str, list[int]] = field(default_factory=dict)

    @property
    def codes(self) -> list[str]:
        return [finding.code for finding in self.findings]

    @property
    def wrote(self) -> list[int]:
        return sorted({finding.write.line for finding in self.findings})

    @property
    def text(self) -> str:
        return str(self.error)


Run = Callable[..., Outcome]
PRELUDE = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """`run(source, **options of guard)`; `guarded=False` runs it plainly."""
    number = 0

    def run(source: str, *, guarded: bool = True, **options: Any) -> Outcome:
        nonlocal number
        number += 1
        text = PRELUDE + textwrap.dedent(source).strip("\n") + "\n"
        path = tmp_path / f"program{number}.py"
        path.write_text(text)
        linecache.checkcache(str(path))
        code = compile(text, str(path), "exec")
        torch.manual_seed(0)
        space: dict[str, Any] = {"__name__": "program"}
        watcher = guard(**options)
        error: BaseException | None = None
        try:
            if guarded:
                with watcher:
                    exec(code, space)
            else:
                exec(code, space)
        except Exception as raised:
            error = raised
        marked: dict[str, list[int]] = {}
        for index, line in enumerate(text.split("\n"), 1):
            comment = line[line.index("#") :] if "#" in line else ""
            for mark in ("wrote", "saved", "needed"):
                if re.search(rf"\b{mark}\b", comment):
                    marked.setdefault(mark, []).append(index)
        return Outcome(watcher.findings, error, space.get("result", _tensors(space)), marked)

    return run


def _tensors(space: dict[str, Any]) -> dict[str, Any]:
    try:
        return _found_in(space)
    except RuntimeError:  # a view that PyTorch refuses to look at
        return {}


def _found_in(space: dict[str, Any]) -> dict[str, Any]:
    tensors = {name: value.detach() for name, value in space.items() if isinstance(value, torch.Tensor)}
    for name, value in space.items():
        if isinstance(value, torch.nn.Module):
            tensors |= {f"{name}.{inner}": p.grad for inner, p in value.named_parameters() if p.grad is not None}
        elif isinstance(value, torch.Tensor) and value.is_leaf and value.grad is not None:
            tensors[f"{name}.grad"] = value.grad
    return tensors


@pytest.fixture
def expect_hazard(run: Run) -> Callable[..., Outcome]:
    """The program raises, with a finding of this code at every line marked `wrote` and no other."""

    def check(source: str, code: str, **options: Any) -> Outcome:
        outcome = run(source, **options)
        assert outcome.error is not None, "nothing was raised"
        assert outcome.findings, f"raised, but nothing found: {outcome.error!r}"
        assert set(outcome.codes) == {code}
        assert outcome.wrote == outcome.marked["wrote"]
        for mark, sites in (
            ("saved", {finding.saved.line for finding in outcome.findings if finding.saved}),
            ("needed", {finding.needed.line for finding in outcome.findings if finding.needed}),
        ):
            if mark in outcome.marked:
                assert sorted(sites) == outcome.marked[mark], mark
        return outcome

    return check


@pytest.fixture
def expect_quiet(run: Run) -> Callable[..., Outcome]:
    """Nothing is raised or found, and the result is that of a plain run, bit for bit."""

    def check(source: str, **options: Any) -> Outcome:
        outcome = run(source, **options)
        assert outcome.error is None, outcome.error
        assert outcome.findings == []
        plain = run(source, guarded=False)
        assert same(outcome.value, plain.value)
        return outcome

    return check


def same(one: Any, other: Any) -> bool:
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        return torch.equal(one, other) or bool((one.isnan() == other.isnan()).all() and one.isnan().any())
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return bool(one == other)
