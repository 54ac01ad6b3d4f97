from functools import lru_cache

import torch


@lru_cache(maxsize=8)
def rope_tables(length, dim, base):
    inv = torch.arange(0, dim, 2).to(torch.get_default_dtype())
    inv.div_(dim).neg_()
    inv = torch.pow(torch.tensor(base), inv)
    pos = torch.arange(length).to(inv.dtype)
    ang = torch.outer(pos, inv)
    return ang.cos(), ang.sin()


def rotate(x, cos, sin):
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


def decay_tables_(cos, sin, rate):
    """xPos-style damping of both tables."""
    cos, sin = cos.clone(), sin.clone()
    cos.mul_(rate)
    sin.mul_(rate)
    return cos, sin
