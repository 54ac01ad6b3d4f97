from torch import nn

from .layers import SqueezeExcite


def create(cfg):
    c = cfg["channels"]
    return nn.Sequential(
        nn.Conv2d(3, c, 3, padding=1),
        nn.BatchNorm2d(c),
        nn.ReLU(inplace=True),
        SqueezeExcite(c, cfg["reduction"]),
        nn.Conv2d(c, 1, 1),
    )
