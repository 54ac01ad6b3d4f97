"""What each torch callable writes, views and saves: a generated table and its look-up. Never imports torch."""

from inplace_guard.ops.model import ModuleFacts, Op, Overload, Param, Result, Save
from inplace_guard.ops.table import attribute, is_write, lookup, method, module, torch_version

__all__ = [
    "ModuleFacts",
    "Op",
    "Overload",
    "Param",
    "Result",
    "Save",
    "attribute",
    "is_write",
    "lookup",
    "method",
    "module",
    "torch_version",
]
