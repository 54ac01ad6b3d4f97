import torch
import torch.nn as nn


class Scaled(nn.Module):
    """y = skip + scale * mix(x), with x damped before mixing."""

    def __init__(self, dim, scale):
        super().__init__()
        self.pre = nn.Linear(dim, dim)
        self.mix = nn.Linear(dim, dim, bias=False)
        self.scale = scale

    def forward(self, x):
        x = self.pre(x)
        skip = x
        x = x * self.scale
        return skip + self.mix(x)


class Stack(nn.Module):
    def __init__(self, dim, depth):
        super().__init__()
        self.blocks = nn.ModuleList(Scaled(dim, 1 / (i + 2)) for i in range(depth))

    def forward(self, x):
        for b in self.blocks:
            x = b(x)
        return x


def main():
    torch.manual_seed(13)
    net = Stack(5, 3)
    net(torch.randn(4, 5)).square().mean().backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
