"""Look-up in table.json. Entries stay text until somebody asks for them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from inplace_guard.ops.codec import decode_module, decode_op, decode_optimizer, decode_result
from inplace_guard.ops.model import ModuleFacts, Op, OptimizerFacts, Result


@cache
def _table() -> dict[str, Any]:
    data: dict[str, Any] = json.loads((Path(__file__).parent / "table.json").read_bytes())
    data["writing_methods"] = frozenset(data["writing_methods"].split())
    return data


# Where PyTorch defines what it offers elsewhere.
_INNER = (
    ("torch._C._nn.", "torch.nn.functional."),
    ("torch.functional.", "torch."),
    ("torch._C.TensorBase.", "torch.Tensor."),
)


def _shortened(dotted: str, package: str) -> str:
    """`torch.nn.modules.linear.Linear` is torch.nn.Linear, `torch.optim.adam.Adam` torch.optim.Adam."""
    return f"{package}.{dotted.rpartition('.')[2]}" if dotted.startswith(package + ".") else ""


@cache
def lookup(dotted: str) -> Op | None:
    """The op of a canonical dotted name (`torch.add`, `torch.Tensor.add_`, `torch.nn.functional.relu`), if known."""
    for inner, public in _INNER:
        if dotted.startswith(inner):
            dotted = public + dotted[len(inner) :]
    text = _table()["ops"].get(dotted)
    return None if text is None else decode_op(dotted.rpartition(".")[2], text)


def method(name: str) -> Op | None:
    """The op of a method of torch.Tensor; its first parameter is `self`."""
    return lookup(f"torch.Tensor.{name}")


@cache
def attribute(name: str) -> Result | None:
    """What reading an attribute of a tensor gives; None for methods and unknown names."""
    text = _table()["attributes"].get(name)
    return None if text is None else decode_result(text)


@cache
def module(dotted: str) -> ModuleFacts | None:
    """The facts of a torch.nn class by its dotted name (`torch.nn.LayerNorm`)."""
    text = _table()["modules"].get(dotted) or _table()["modules"].get(_shortened(dotted, "torch.nn"))
    return None if text is None else decode_module(dotted.rpartition(".")[2], text)


@cache
def optimizer(dotted: str) -> OptimizerFacts | None:
    """The facts of a torch.optim class by its dotted name (`torch.optim.AdamW`)."""
    text = _table()["optimizers"].get(dotted) or _table()["optimizers"].get(_shortened(dotted, "torch.optim"))
    return None if text is None else decode_optimizer(dotted.rpartition(".")[2], text)


def is_write(name: str) -> bool:
    """Whether a method of torch.Tensor of this name writes its tensor in place."""
    return name in _table()["writing_methods"]


def torch_version() -> str:
    """The version of PyTorch that the table was made from."""
    return str(_table()["torch"])
