import torch
import torch.nn as nn


def shrink(factor):
    def hook(grad):
        return grad.mul(factor)
    return hook


class TwoPath(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.deep = nn.Sequential(nn.Linear(n, n), nn.Tanh(), nn.Linear(n, n))
        self.short = nn.Linear(n, n)

    def forward(self, x):
        s = self.short(x)
        d = self.deep(x)
        if d.requires_grad:
            d.register_hook(shrink(0.1))
        return d + s


def main():
    torch.manual_seed(50)
    net = TwoPath(4)
    out = net(torch.randn(5, 4))
    out.backward(torch.randn(5, 4))
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
