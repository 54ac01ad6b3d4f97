import torch
from torch import nn


class ConvNorm(nn.Sequential):
    def __init__(self, cin, cout, act=False):
        layers = [nn.Conv2d(cin, cout, 3, padding=1, bias=False), nn.BatchNorm2d(cout)]
        if act:
            layers.append(nn.ReLU(inplace=True))
        super().__init__(*layers)


class Residual(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.f = nn.Sequential(ConvNorm(ch, ch, act=True), ConvNorm(ch, ch))
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        y = self.f(x)
        y += x
        return self.relu(y)


def main():
    torch.manual_seed(86)
    net = nn.Sequential(ConvNorm(1, 3, act=True), Residual(3), Residual(3), nn.AdaptiveAvgPool2d(1), nn.Flatten())
    net(torch.randn(2, 1, 6, 6)).square().sum().backward()
    return {n: p.grad.clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
