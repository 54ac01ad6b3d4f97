from functools import lru_cache

import torch


@lru_cache(maxsize=16)
def causal_mask(n):
    m = torch.zeros(n, n, dtype=torch.bool)
    m[torch.triu_indices(n, n, 1).unbind()] = True
    return m


@lru_cache(maxsize=16)
def distance_bias(n):
    pos = torch.arange(n).to(torch.get_default_dtype())
    d = pos.view(-1, 1) - pos
    d.abs_().neg_()
    return d
