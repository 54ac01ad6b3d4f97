"""After any edits of any file, what comes from the cache is what would be found without it."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from inplace_guard.check import check_paths
from inplace_guard.config import Settings

BLOCK = """\
import torch
from torch import nn
from {module} import accumulate

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(4, 4)
        self.norm = nn.LayerNorm(4)

    def forward(self, x):
        h = self.proj(x)
        y = self.norm(h)
        accumulate(h, y)
        return h
"""
WRITES = "def {name}(x, y):\n    x.add_(y)\n    return x\n"
PURE = "def {name}(x, y):\n    return x + y\n"
# The forms that each file takes in turn; None: it is gone.
FILES: dict[str, list[str | None]] = {
    "pkg/__init__.py": ["", "from .ops import accumulate\n"],
    "pkg/ops/__init__.py": [
        "from .helpers import accumulate\n",
        "from .other import accumulate\n",
        "from .helpers import *\n",
    ],
    "pkg/ops/helpers.py": [
        WRITES.format(name="accumulate"),
        PURE.format(name="accumulate"),
        "import nowhere\n",
        "def (",
        None,
    ],
    "pkg/ops/other.py": ["from ..base import add as accumulate\n", PURE.format(name="accumulate"), None],
    "pkg/base.py": ["import torch\n" + WRITES.format(name="add"), PURE.format(name="add")],
    "pkg/block.py": [BLOCK.format(module=".ops"), BLOCK.format(module="pkg")],
    "pkg/loop.py": ["from .block import Block\n\ndef run(x):\n    Block()(x).sum().backward()\n"],
}


def test_edits_in_any_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    settings = Settings(root=tmp_path)
    chance = random.Random(0)

    def write(name: str, text: str | None) -> None:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        if text is not None:
            path.write_text(text)

    for name, texts in FILES.items():
        write(name, texts[0])
    cached = findings = 0
    for _ in range(60):
        name = chance.choice(list(FILES))
        write(name, chance.choice(FILES[name]))
        if chance.random() < 0.2:  # only a part is checked, and remembered, in between
            check_paths([chance.choice(["pkg/block.py", "pkg/ops"])], settings)
        results = [check_paths(["."], replace(settings, cache=cache)) for cache in (True, False)]
        ours, theirs = ([(f.path, f.findings, f.problems, f.skipped) for f in result.files] for result in results)
        assert ours == theirs
        cached += sum(file.cached for file in results[0].files)
        findings += len(results[1].findings)
    assert cached > 100
    assert findings > 10
