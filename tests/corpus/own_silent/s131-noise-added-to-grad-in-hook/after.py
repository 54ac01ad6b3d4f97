import torch
from torch import nn


class GradNoise:
    def __init__(self, std, seed):
        self.std = std
        self.rng = torch.Generator().manual_seed(seed)

    def __call__(self, grad):
        return grad + self.std * torch.randn(grad.shape, generator=self.rng)


class Ladder(nn.Module):
    def __init__(self, dim, rungs):
        super().__init__()
        self.rungs = nn.ModuleList([nn.Linear(dim, dim) for _ in range(rungs)])
        self.noise = GradNoise(0.5, 9)

    def forward(self, x):
        h = x
        for rung in self.rungs:
            step = rung(h.tanh())
            step.register_hook(self.noise)
            h = step + h
        return h


def main():
    torch.manual_seed(291)
    net = Ladder(3, 2)
    x = torch.randn(4, 3, requires_grad=True)
    net(x).pow(2).sum().backward()
    return {"x": x.grad, **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
