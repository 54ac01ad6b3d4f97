from torch import nn

from .blocks.attention import CausalAttention
from .blocks.wrap import Residual

_ZOO = {}


def register_model(fn):
    _ZOO[fn.__name__] = fn
    return fn


@register_model
def causal(dim, heads, depth, max_len):
    layers = []
    for _ in range(depth):
        layers.append(Residual(CausalAttention(dim, heads, max_len), dim))
        layers.append(Residual(nn.Sequential(nn.Linear(dim, 2 * dim), nn.ReLU(True), nn.Linear(2 * dim, dim)), dim))
    return nn.Sequential(*layers)


def create_model(name, **kw):
    return _ZOO[name](**kw)
