from dataclasses import dataclass, field
from functools import partial
from typing import Callable

from .ops import scale, scale_, shift_


@dataclass
class AgentConf:
    obs_dim: int = 6
    act_dim: int = 2
    hidden: int = 12
    pre_act: Callable = field(default=partial(shift_, by=0.05))
    post_act: Callable = field(default=partial(scale, factor=0.5))
    pre_head: Callable = field(default=partial(scale_, factor=1.5))
