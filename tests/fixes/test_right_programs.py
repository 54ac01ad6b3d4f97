"""Programs that are right stay right: each of their in-place writes is made out of place, as if it had a finding.

Nothing would be reported in them. But where a fix calls itself safe, the results must be the same all the more.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from inplace_guard.findings import Finding
from inplace_guard.fixes import fix_source

from .marked import findings
from .test_corpus import CORPUS, run, same

_DUNDERS = {"__setitem__", "__iadd__", "__isub__", "__imul__", "__itruediv__", "__ipow__", "__ifloordiv__", "__imod__"}


class WrittenLines(TorchFunctionMode):
    """The lines of a program that write a tensor: a list or an array may be written with the same words."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.lines: set[int] = set()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        kwargs = kwargs or {}
        inplace = (name.endswith("_") and not name.endswith("__")) or name in _DUNDERS
        if inplace or "out" in kwargs or kwargs.get("inplace"):
            frame = sys._getframe(1)
            while frame is not None and frame.f_code.co_filename != self.name:
                frame = frame.f_back
            if frame is not None:
                self.lines.add(frame.f_lineno)
        return func(*args, **kwargs)


def programs() -> Iterator[Path]:
    for label in sorted(CORPUS.glob("*/*/label.json")):
        for file in sorted(label.parent.glob("*.py")):
            if file.name == "after.py" or json.loads(label.read_text())["outcome"] == "ok":
                yield file


def written(source: str, lines: set[int]) -> list[Finding]:
    found = []
    for finding in findings(source, everywhere=True):
        if finding.write.line in lines or (finding.write.op or "").endswith("(inplace=True)"):
            found.append(finding)
    return found


def test_safe_fixes_change_no_result() -> None:
    fixed = 0
    for file in programs():
        source = file.read_text()
        with WrittenLines(file.name) as writes:
            before = run(source, file.name)
        assert not isinstance(before, Exception), file
        result = fix_source(source.encode(), written(source, writes.lines))
        if result.fixed:
            after = run(result.source.decode(), "fixed.py")
            assert same(after, before), f"{file}: {after}\n{result.source.decode()}"
            fixed += len(result.fixed)
    assert fixed > 150
    assert not torch.is_inference_mode_enabled()
