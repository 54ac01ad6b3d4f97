import torch
from torch import nn


def branch(cin, cout, dilation):
    return nn.Sequential(
        nn.Hardtanh(-1.0, 1.0),
        nn.Conv2d(cin, cout, 3, padding=dilation, dilation=dilation),
        nn.BatchNorm2d(cout),
    )


class PyramidPooling(nn.Module):
    def __init__(self, cin, cout, rates=(1, 2, 3)):
        super().__init__()
        self.branches = nn.ModuleList(branch(cin, cout, r) for r in rates)
        self.fuse = nn.Conv2d(cout * len(rates), cout, 1)

    def forward(self, x):
        return self.fuse(torch.cat([b(x) for b in self.branches], dim=1))


def main():
    torch.manual_seed(19)
    net = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), PyramidPooling(4, 3))
    net(torch.randn(2, 1, 7, 7)).tanh().mean().backward()
    return {n: p.grad.clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
