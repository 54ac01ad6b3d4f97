from torch import nn

from . import acts  # noqa: F401
from .registry import make, register


@register("tap_small")
def tap_small(width=4):
    return nn.Sequential(
        nn.Conv2d(3, width, 3),
        nn.BatchNorm2d(width),
        make("act/relu_"),
        nn.Flatten(),
        nn.Linear(width * 9, 6),
        make("act/silu"),
        nn.Linear(6, 2),
        make("act/relu_"),
    )
