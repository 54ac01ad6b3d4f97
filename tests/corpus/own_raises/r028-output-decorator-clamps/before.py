import functools

import torch
from torch import nn
from torch.nn import functional as F


def bounded(low, high):
    def deco(method):
        @functools.wraps(method)
        def inner(self, *args, **kwargs):
            result = method(self, *args, **kwargs)
            return result.clamp_(low, high)

        return inner

    return deco


class Calibrator(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.score = nn.Linear(d, 1)

    @bounded(1e-4, 1 - 1e-4)
    def probability(self, x):
        return torch.sigmoid(self.score(x)).squeeze(-1)

    def forward(self, x, y):
        return F.binary_cross_entropy(self.probability(x), y)


def main():
    torch.manual_seed(34)
    cal = Calibrator(3)
    cal(torch.randn(6, 3), torch.randint(0, 2, (6,)).float()).backward()
    return {n: p.grad.clone() for n, p in cal.named_parameters()}


if __name__ == "__main__":
    main()
