"""Fail-fast: what would be overwritten of that which a live graph has saved, told before the write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any

import torch

from inplace_guard.findings import Finding
from inplace_guard.runtime.capture import chain, site
from inplace_guard.runtime.memory import overlap, region_of
from inplace_guard.runtime.modules import ModulePaths
from inplace_guard.runtime.recorder import Recorder
from inplace_guard.runtime.report import finding
from inplace_guard.runtime.saves import SaveWatch
from inplace_guard.runtime.silentwords import code_of_way
from inplace_guard.runtime.sites import op_name, short, site_of

__all__ = ["refusals"]


def refusals(
    saves: SaveWatch, recorder: Recorder, marked: Mapping[int, Any], func: Any, targets: list[Any], frame: FrameType
) -> Iterator[Finding]:
    """`marked`: memory that was handed past autograd, by its address."""
    for tensor in targets:
        region = region_of(tensor)
        held = next(saves.saved_on(region), None)
        if held is None or region is None:
            continue
        optimizer = func if isinstance(func, torch.optim.Optimizer) else None
        code = "IPG107" if optimizer is not None else "IPG101"
        if optimizer is None and not tensor.requires_grad:
            code = code_of_way(marked.get(region.base), code)
        name = f"{type(func).__name__}.step" if optimizer is not None else op_name(func)
        module = None if optimizer is not None else recorder.module_of(frame)
        where = site_of(chain(frame), name, module, ModulePaths())
        saved = site(held.place) if held.place is not None else None
        at = f" at {short(saved)}" if saved is not None else ""
        details = [
            "raised before the write, in mode fail-fast; without it, the backward that needs the graph "
            + ("fails" if code in ("IPG101", "IPG107") else "is wrong, with no error")
        ]
        if held.region is not None and not overlap(held.region, region):
            details.append("the write touches other elements of the same memory, not the saved ones")
        message = f"{where.op} at {short(where)} would overwrite a tensor that a live graph saved{at}"
        yield finding(code, message, where, saved=saved, details=details)
