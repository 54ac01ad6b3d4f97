import functools
import contextlib

import torch


def scaled(factor):
    """Multiply what the function returns by a constant."""

    def deco(fn):
        @functools.wraps(fn)
        def inner(*args, **kwargs):
            out = fn(*args, **kwargs)
            return out * factor

        return inner

    return deco


@contextlib.contextmanager
def deterministic(seed):
    state = torch.get_rng_state()
    torch.manual_seed(seed)
    try:
        yield
    finally:
        torch.set_rng_state(state)


def add_jitter_(k, eps):
    k.diagonal().add_(eps)
    return k
