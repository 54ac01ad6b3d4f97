import math

import torch

from .inplace import add_, zero_tail_

__all__ = ["nll"]


def nll(flow, x):
    z, logdet = flow(x)
    quad = z * z
    quad = add_(quad, math.log(2 * math.pi))
    weights = zero_tail_(torch.ones(z.shape[-1] + 1), 1)[:-1]
    total = (quad * weights).sum(-1)
    total *= 0.5
    total -= logdet
    return total.mean()
