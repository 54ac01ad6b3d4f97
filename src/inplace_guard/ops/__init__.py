"""What each torch callable writes, views and saves: a generated table and its look-up."""

from inplace_guard.ops.model import ModuleFacts, Op, Overload, Param, Result, Save

__all__ = ["ModuleFacts", "Op", "Overload", "Param", "Result", "Save"]
