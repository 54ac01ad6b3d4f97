import functools

import torch
from torch import nn


def scale_grad(module, grad_output, *, factor):
    return (grad_output[0] * factor,)


class TwoPath(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.slow, self.fast = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.fast.register_full_backward_pre_hook(functools.partial(scale_grad, factor=0.2))

    def forward(self, x):
        return self.slow(x) + self.fast(x)


def main():
    torch.manual_seed(281)
    net = nn.Sequential(TwoPath(3), nn.Tanh(), TwoPath(3))
    net(torch.randn(4, 3)).pow(2).sum().backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
