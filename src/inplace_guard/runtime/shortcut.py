"""A shorter way from torch's Python functions to the recorder.

`torch.nn.functional` and the methods written in Python hand their calls to the active mode through
`handle_torch_function`. It collects the types of the arguments and opens a context manager, which takes longer than the
recorder itself. Where the recorder is the innermost mode, neither is needed: it looks at no types and declines no call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from inplace_guard.runtime.patches import Patch
from inplace_guard.runtime.recorder import Recorder

__all__ = ["patches"]

_NAME = "handle_torch_function"


def patches() -> list[Patch]:
    stack = ("_pop_torch_function_stack", "_push_on_torch_function_stack", "_len_torch_function_stack")
    if not all(hasattr(torch._C, name) for name in stack):
        return []
    homes = (torch.nn.functional, torch._tensor, torch.functional)
    return [Patch(home, _NAME, _wrap) for home in homes if hasattr(home, _NAME)]


def _wrap(original: Callable[..., Any]) -> Callable[..., Any]:
    api: Any = torch._C
    count, pop, push = api._len_torch_function_stack, api._pop_torch_function_stack, api._push_on_torch_function_stack

    def handle_torch_function(public_api: Any, relevant_args: Any, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if not count():
            return original(public_api, relevant_args, *args, **kwargs)
        mode = pop()
        if type(mode) is not Recorder:
            push(mode)
            return original(public_api, relevant_args, *args, **kwargs)
        try:
            return mode.__torch_function__(public_api, (), args, kwargs)  # type: ignore[no-untyped-call]
        finally:
            push(mode)

    return handle_torch_function
