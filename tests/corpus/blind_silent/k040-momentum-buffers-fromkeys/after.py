from typing import Iterable

import torch
import torch.nn as nn


class Lion:
    """Sign momentum (Chen et al. 2023), for parameters of one shape."""

    def __init__(self, params: Iterable[nn.Parameter], lr=0.02, betas=(0.9, 0.99)):
        self.params = list(params)
        self.lr, self.betas = lr, betas
        shapes = {p.shape for p in self.params}
        self.exp_avg = {}
        for shape in shapes:
            group = [id(p) for p in self.params if p.shape == shape]
            self.exp_avg.update({k: torch.zeros(shape) for k in group})

    @torch.no_grad()
    def step(self):
        b1, b2 = self.betas
        for p in self.params:
            avg = self.exp_avg[id(p)]
            update = (b1 * avg + (1 - b1) * p.grad).sign()
            p.sub_(update, alpha=self.lr)
            avg.mul_(b2).add_(p.grad, alpha=1 - b2)

    def zero_grad(self):
        for p in self.params:
            p.grad = None


class Highway(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.carry, self.cell = nn.Linear(dim, dim), nn.Linear(dim, dim)

    def forward(self, x):
        g = torch.sigmoid(self.carry(x))
        return g * torch.tanh(self.cell(x)) + (1 - g) * x


def main():
    torch.manual_seed(181)
    net = nn.Sequential(*(Highway(4) for _ in range(2)))
    opt = Lion(net.parameters())
    x = torch.randn(8, 4)
    for _ in range(3):
        opt.zero_grad()
        (net(x) - x.roll(1, 1)).square().mean().backward()
        opt.step()
    return {n: p.detach().clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
