import torch
from torch import nn


class PreActUnit(nn.Module):
    expansion = 2

    def __init__(self, ch):
        super().__init__()
        self.norm1, self.norm2 = nn.GroupNorm(1, ch), nn.GroupNorm(1, ch * self.expansion)
        self.conv1 = nn.Conv2d(ch, ch * self.expansion, 3, padding=1)
        self.conv2 = nn.Conv2d(ch * self.expansion, ch, 3, padding=1)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        out = self.conv1(self.act(self.norm1(x)))
        out = self.conv2(self.act(self.norm2(out)))
        out += x
        return out


class Net(nn.Module):
    def __init__(self, ch=2, depth=2):
        super().__init__()
        self.stem = nn.Conv2d(1, ch, 3)
        self.units = nn.ModuleList([PreActUnit(ch) for _ in range(depth)])
        self.final = nn.Sequential(nn.BatchNorm2d(ch), nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d(1), nn.Flatten())

    def forward(self, x):
        x = self.stem(x)
        for unit in self.units:
            x = unit(x)
        return self.final(x)


def main():
    torch.manual_seed(215)
    net = Net()
    net(torch.randn(3, 1, 6, 6)).square().sum().backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
