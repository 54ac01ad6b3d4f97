"""Attributes of a tensor: which are views of it, which are tensors of their own, which are not tensors."""

from __future__ import annotations

import inspect
import warnings

import torch

from inplace_guard.ops.codec import encode_result
from inplace_guard.ops.generate.calls import address
from inplace_guard.ops.model import Result


def table() -> dict[str, str]:
    """Text of the `Result` of each public attribute of torch.Tensor that is not a method."""
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `volatile` is deprecated
        for name in sorted(dir(torch.Tensor)):
            member = inspect.getattr_static(torch.Tensor, name)
            if name.startswith("__") or callable(member) or isinstance(member, (staticmethod, classmethod)):
                continue
            found[name] = encode_result(_result(name))
    return found


def _result(name: str) -> Result:
    leaf = torch.randn(2, 3, dtype=torch.complex64 if name == "imag" else torch.float32, requires_grad=True)
    value = leaf.clone()
    if name in ("grad", "_grad"):
        return Result(differentiable=False)
    if name == "_base":
        return Result("view", "self")
    try:
        got = getattr(value, name)
    except (RuntimeError, AttributeError):
        return Result(differentiable=False, tensor=False)
    if not isinstance(got, torch.Tensor):
        return Result(differentiable=False, tensor=False)
    if address(got) == address(value):
        return Result("view", "self", differentiable=got.requires_grad)
    return Result(differentiable=got.requires_grad)
