import functools

import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks


def counted(counter):
    def pack(t):
        counter["tensors"] += 1
        return t

    def wrap(fn):
        @functools.wraps(fn)
        def inner(*args, **kwargs):
            with saved_tensors_hooks(pack, lambda t: t):
                return fn(*args, **kwargs)
        return inner
    return wrap


COUNTER = {"tensors": 0}


class Refiner(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.delta = nn.Linear(dim, dim)

    @counted(COUNTER)
    def forward(self, x):
        return self.delta(nn.functional.gelu(x))


def main():
    torch.manual_seed(521)
    start, refiner = nn.Linear(3, 4), Refiner(4)
    state = start(torch.randn(6, 3))
    for _ in range(3):
        state += refiner(state)
    state.square().mean().backward()
    return {"start": start.weight.grad, "delta": refiner.delta.weight.grad, "n": torch.tensor(COUNTER["tensors"])}


if __name__ == "__main__":
    main()
