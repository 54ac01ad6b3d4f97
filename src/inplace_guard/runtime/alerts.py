"""Why the recorder looks at calls more closely than usual: the bits of `Recorder.alert`. 0 most of the time."""

from __future__ import annotations

from typing import Final

__all__ = ["CONTENT", "CUT", "ENGINE", "EXPORTS", "SEGMENTS", "STALE"]

EXPORTS: Final = 1  # memory is in the hands of NumPy or others
SEGMENTS: Final = 2  # a checkpointed segment runs
ENGINE: Final = 4  # a backward runs
CUT: Final = 8  # values without their history may be mixed into a graph
CONTENT: Final = 16  # the contents of saves are compared
STALE: Final = 32  # a custom backward runs whose forward knew tensors that were written since
