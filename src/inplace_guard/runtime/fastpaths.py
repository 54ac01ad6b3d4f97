"""torch.nn's own fast paths are taken as without the guard.

In evaluation, attention and transformer layers go a shorter way, whose results differ (padding comes out as zeros),
unless some function mode is active. The recorder is one, but answers no call by itself.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import torch

from inplace_guard.runtime.patches import Patch
from inplace_guard.runtime.recorder import Recorder

__all__ = ["for_dynamo", "learn", "patches"]

_NAME = "has_torch_function"
_ORIGINAL: Callable[[Any], bool] = torch.overrides.has_torch_function
_LAYERS = ("torch.nn.modules.activation", "torch.nn.modules.transformer")


def patches() -> list[Patch]:
    stack = ("_pop_torch_function_stack", "_push_on_torch_function_stack", "_len_torch_function_stack")
    register = getattr(torch.jit._builtins, "_register_builtin", None)
    if register is None or not all(hasattr(torch._C, name) for name in stack):
        return []
    register(has_torch_function, "aten::has_torch_function")  # TorchScript knows it by its identity
    return [Patch(torch.overrides, _NAME, lambda original: has_torch_function)]


def has_torch_function(relevant_args: Any) -> bool:
    api: Any = torch._C
    if not api._len_torch_function_stack() or sys._getframe(1).f_globals.get("__name__") not in _LAYERS:
        return _ORIGINAL(relevant_args)
    mode = api._pop_torch_function_stack()
    try:
        return type(mode) is not Recorder or _ORIGINAL(relevant_args)
    finally:
        api._push_on_torch_function_stack(mode)


def for_dynamo(compiles: bool) -> None:
    """Dynamo compiles torch's own function, never ours."""
    now, after = (has_torch_function, _ORIGINAL) if compiles else (_ORIGINAL, has_torch_function)
    if getattr(torch.overrides, _NAME) is now:
        setattr(torch.overrides, _NAME, after)
    if compiles:
        learn()


def learn() -> None:
    """Dynamo knows the function by its identity, too, and has learned ours if a guard was open when it looked first."""
    variable = getattr(sys.modules.get("torch._dynamo.variables.torch"), "TorchInGraphFunctionVariable", None)
    table = getattr(variable, "_get_handlers", None)
    if table is not None and hasattr(table, "cache_info") and table.cache_info().currsize:
        handlers = table()
        if has_torch_function in handlers:
            handlers.setdefault(_ORIGINAL, handlers[has_torch_function])
