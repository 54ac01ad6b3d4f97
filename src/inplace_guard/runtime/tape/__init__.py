"""The backward graph of a tensor as data: which node, made where, keeps what, for how long."""

from __future__ import annotations

import torch

from inplace_guard.runtime import active
from inplace_guard.runtime.tape.collect import collect
from inplace_guard.runtime.tape.model import Mark, Node, Save, Storage, Tape, TapeError, Totals

__all__ = ["Mark", "Node", "Save", "Storage", "Tape", "TapeError", "Totals", "tape"]


def tape(tensor: torch.Tensor) -> Tape:
    """The graph below this tensor. Lines are known for what ran under a guard of this thread that is still active.

    Raises TapeError for a tensor without history. The graph is looked at and left as it is.
    """
    return collect([tensor], active.current()).tape
