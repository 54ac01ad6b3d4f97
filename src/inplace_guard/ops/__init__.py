"""What each torch callable writes, views and saves: a generated table and its look-up. Never imports torch."""

from inplace_guard.ops.conditions import UNKNOWN, holds, split_write
from inplace_guard.ops.model import OTHER_NAMES, ModuleFacts, Op, OptimizerFacts, Overload, Param, Result, Save
from inplace_guard.ops.table import attribute, is_write, lookup, method, module, optimizer, torch_version

__all__ = [
    "OTHER_NAMES",
    "UNKNOWN",
    "ModuleFacts",
    "Op",
    "OptimizerFacts",
    "Overload",
    "Param",
    "Result",
    "Save",
    "attribute",
    "holds",
    "is_write",
    "lookup",
    "method",
    "module",
    "optimizer",
    "split_write",
    "torch_version",
]
