"""What each torch callable writes, views and saves: a generated table and its look-up. Never imports torch."""

from inplace_guard.ops.model import ModuleFacts, Op, OptimizerFacts, Overload, Param, Result, Save
from inplace_guard.ops.table import attribute, is_write, lookup, method, module, optimizer, torch_version

__all__ = [
    "ModuleFacts",
    "Op",
    "OptimizerFacts",
    "Overload",
    "Param",
    "Result",
    "Save",
    "attribute",
    "is_write",
    "lookup",
    "method",
    "module",
    "optimizer",
    "torch_version",
]
