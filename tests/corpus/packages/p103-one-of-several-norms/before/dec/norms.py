from torch import nn


def make_norm(kind, channels):
    if kind == "layer":
        return nn.LayerNorm(channels)
    elif kind == "batch":
        return nn.BatchNorm1d(channels)
    elif kind == "none":
        return nn.Identity()
    raise ValueError(kind)


class LinearReLU(nn.Sequential):
    def __init__(self, channels, kind):
        norm = make_norm(kind, channels)
        super().__init__(nn.Linear(channels, channels), norm, nn.ReLU(inplace=True))
