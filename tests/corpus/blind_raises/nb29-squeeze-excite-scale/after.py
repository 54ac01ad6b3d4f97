import torch
from torch import nn


class SqueezeExcite(nn.Module):
    def __init__(self, channels, reduction=2, gate=nn.Sigmoid):
        super().__init__()
        self.fc1 = nn.Conv2d(channels, channels // reduction, 1)
        self.act = nn.SiLU()
        self.fc2 = nn.Conv2d(channels // reduction, channels, 1)
        self.gate = gate()

    def forward(self, x):
        s = x.mean((2, 3), keepdim=True)
        s = self.fc2(self.act(self.fc1(s)))
        return x * self.gate(s)


class MBConv(nn.Module):
    def __init__(self, cin, cout, expand=2, stride=1):
        super().__init__()
        mid = cin * expand
        self.expand = nn.Conv2d(cin, mid, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(mid)
        self.act = nn.SiLU()
        self.dw = nn.Conv2d(mid, mid, 3, stride, 1, groups=mid, bias=False)
        self.se = SqueezeExcite(mid)
        self.project = nn.Conv2d(mid, cout, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(cout)
        self.skip = stride == 1 and cin == cout

    def forward(self, x):
        shortcut = x
        x = self.act(self.bn1(self.expand(x)))
        x = self.se(self.dw(x))
        x = self.bn2(self.project(x))
        if self.skip:
            x = x + shortcut
        return x


class MobileStem(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3, 2, 1)
        self.blocks = nn.Sequential(MBConv(4, 4), MBConv(4, 6, stride=2), MBConv(6, 6))
        self.head = nn.Linear(6, classes)

    def forward(self, x):
        return self.head(self.blocks(self.stem(x)).mean((2, 3)))


def main():
    torch.manual_seed(0)
    net = MobileStem()
    logits = net(torch.rand(2, 3, 8, 8))
    nn.functional.cross_entropy(logits, torch.tensor([2, 0]), label_smoothing=0.1).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
