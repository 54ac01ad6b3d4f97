"""What models return: named tuples, and dataclasses that are read by number and by key."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_guard.analysis import analyze
from inplace_guard.analysis.project import Project

OUTPUTS = """\
from collections import OrderedDict
from dataclasses import dataclass, fields
from typing import NamedTuple, Optional

import torch


class Output(OrderedDict):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)

    def __post_init__(self):
        for field in fields(self):
            if getattr(self, field.name) is not None:
                self[field.name] = getattr(self, field.name)

    def __getitem__(self, key):
        return dict(self.items())[key] if isinstance(key, str) else tuple(self.values())[key]


@dataclass
class ModelOutput(Output):
    loss: Optional[torch.Tensor] = None
    hidden: Optional[torch.Tensor] = None
    extra: Optional[torch.Tensor] = None


class Pair(NamedTuple):
    gate: torch.Tensor
    value: torch.Tensor
"""

MODEL = """\
import torch
from torch import nn

from .outputs import ModelOutput, Pair


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(4, 4)

    def forward(self, x):
        gate = self.proj(x).sigmoid()
        value = self.proj(x)
        return {result}


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x):
        out = self.inner(x)
        {use}
        return out.{name}.sum()
"""


def codes(folder: Path, result: str, use: str, name: str) -> list[str]:
    package = folder / "pkg"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "outputs.py").write_text(OUTPUTS)
    model = package / "model.py"
    model.write_text(MODEL.format(result=result, use=use, name=name))
    analysis = analyze(model.read_text(), str(model), project=Project())
    assert not [note for note in analysis.notes if "error" in note]
    return [finding.code for finding in analysis.findings]


@pytest.mark.parametrize("read", ["out[0]", "out['hidden']", "out.hidden", "out[:1][0]", "out[-1]"])
def test_a_dataclass_on_top_of_a_dict(tmp_path: Path, read: str) -> None:
    """The first field is None, and does not count. sigmoid saves its result."""
    assert codes(tmp_path, "ModelOutput(hidden=gate)", f"{read}.mul_(2)", "hidden") == ["IPG101"]


@pytest.mark.parametrize("read", ["out[1]", "out['extra']", "out.extra"])
def test_the_other_field_of_a_dataclass(tmp_path: Path, read: str) -> None:
    """Nobody saved what a Linear returned."""
    assert codes(tmp_path, "ModelOutput(hidden=gate, extra=value)", f"{read}.mul_(2)", "hidden") == []


@pytest.mark.parametrize(("read", "found"), [("out[0]", ["IPG101"]), ("out.gate", ["IPG101"]), ("out[1]", [])])
def test_a_named_tuple(tmp_path: Path, read: str, found: list[str]) -> None:
    assert codes(tmp_path, "Pair(gate, value)", f"{read}.mul_(2)", "gate") == found


def test_a_named_tuple_is_unpacked(tmp_path: Path) -> None:
    assert codes(tmp_path, "Pair(gate, value)", "first, second = out; first.mul_(2)", "gate") == ["IPG101"]
