from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional

from torch import Tensor


@dataclass
class StepState:
    hidden: Tensor
    counts: Tensor
    logp: Optional[Tensor] = None
    notes: dict = field(default_factory=dict)
