from collections import OrderedDict

from torch import nn

from .convstage import ConvStage
from .scaled import ScaledSkipStage


def hourglass_tiny(width=6):
    return nn.Sequential(
        OrderedDict(
            [
                ("stem", nn.Conv2d(3, width, 3, stride=2, padding=1)),
                ("s1", ConvStage(width)),
                ("s2", ScaledSkipStage(width)),
                ("head", nn.Conv2d(width, 1, 1)),
            ]
        )
    )
