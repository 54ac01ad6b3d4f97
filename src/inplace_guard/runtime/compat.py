"""PyTorch's private functions, each looked up in one place, each with a public way round it.

`probe()` looks them up anew, so a torch that lacks one is found out when a guard starts, and `lost` says what the
reports then miss.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

__all__ = ["Torch", "is_compiling", "probe", "quiet", "take_off", "tell"]


_C: Any = torch._C
_STACK = (
    "_len_torch_function_stack",
    "_get_function_stack_at",
    "_pop_torch_function_stack",
    "_push_on_torch_function_stack",
)


@dataclass(slots=True)
class Torch:
    """What this torch offers."""

    sequence_nr: Callable[[], int] | None
    engine_doors: tuple[tuple[Any, str], ...]
    raw_saved: bool
    sees_modes: bool = True
    whole_doors: bool = False  # the doors are `backward` and `grad` themselves, which look for function modes again
    lost: list[str] = field(default_factory=list)


def probe() -> Torch:
    lost: list[str] = []
    sequence_nr = getattr(torch._C._autograd, "_get_sequence_nr", None)
    if sequence_nr is None:
        sequence_nr = _sequence_nr_of_new_node()
        lost.append(
            "torch._C._autograd._get_sequence_nr is missing: each call makes a node to learn its number, at a cost"
            if sequence_nr is not None
            else "nodes carry no sequence numbers: the line that saved a tensor is not known"
        )
    graph = torch.autograd.graph
    if hasattr(graph, "_engine_run_backward"):
        doors: tuple[tuple[Any, str], ...] = tuple(
            (module, "_engine_run_backward")
            for module in (graph, torch.autograd)
            if hasattr(module, "_engine_run_backward")
        )
    else:
        doors = ((torch.autograd, "backward"), (torch.autograd, "grad"))
        lost.append(
            "torch.autograd.graph._engine_run_backward is missing: backward and grad are wrapped instead, so a name "
            "imported from torch.autograd before the guard started is not watched"
        )
    raw_saved = hasattr(_node(), "_raw_saved_result")
    if not raw_saved:
        lost.append(
            "nodes have no _raw_saved_* attributes: the memory of a saved tensor is not known, so writes are matched "
            "by version alone and silent hazards are not found"
        )
    sees_modes = all(hasattr(_C, name) for name in _STACK)
    if not sees_modes:
        lost.append(
            "the stack of function modes cannot be read: writes made inside a backward, and by optimizers, are not seen"
        )
    whole = not hasattr(graph, "_engine_run_backward")
    return Torch(sequence_nr, doors, raw_saved, sees_modes, whole, lost)


def tell(api: Torch) -> None:
    """Warn of what is lost, each once."""
    for line in api.lost:
        if line not in _told:
            _told.add(line)
            warnings.warn(f"inplace-guard: torch {torch.__version__}: {line}", UserWarning, stacklevel=4)


_told: set[str] = set()


def _node() -> Any:
    with torch.enable_grad(), torch._C.DisableTorchFunction():
        return torch.zeros((), requires_grad=True).exp().grad_fn


def _sequence_nr_of_new_node() -> Callable[[], int] | None:
    if not hasattr(_node(), "_sequence_nr"):
        return None

    def sequence_nr() -> int:
        number: int = _node()._sequence_nr()
        return number + 1

    return sequence_nr


quiet = torch._C.DisableTorchFunction  # a context in which our own looks at tensors are not seen by any mode


def is_compiling() -> bool:
    """Whether dynamo or export traces what runs now."""
    return bool(torch.compiler.is_compiling())


def take_off(mode: Any) -> bool:
    """Take this function mode off the thread's stack, wherever it stands; the others stay in their order.

    False if it did not stand there. A `with` block is left in order, but tasks of one event loop may leave theirs in
    any, and `torch.set_default_device` leaves a mode of its own on top.
    """
    try:
        count, at, pop = _C._len_torch_function_stack(), _C._get_function_stack_at, _C._pop_torch_function_stack
    except AttributeError:
        return False
    if not count:
        return False
    if at(count - 1) is mode:
        pop()
        return True
    if not any(at(index) is mode for index in range(count)):
        return False
    above = []
    while (top := pop()) is not mode:
        above.append(top)
    for entry in reversed(above):
        _C._push_on_torch_function_stack(entry)
    return True
