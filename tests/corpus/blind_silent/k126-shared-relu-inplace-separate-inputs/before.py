import torch
import torch.nn as nn


class Bottleneck(nn.Module):
    def __init__(self, c, mid, act):
        super().__init__()
        self.c1, self.n1 = nn.Conv2d(c, mid, 1, bias=False), nn.BatchNorm2d(mid)
        self.c2, self.n2 = nn.Conv2d(mid, mid, 3, padding=1, bias=False), nn.BatchNorm2d(mid)
        self.c3, self.n3 = nn.Conv2d(mid, c, 1, bias=False), nn.BatchNorm2d(c)
        self.act = act

    def forward(self, x):
        out = self.act(self.n1(self.c1(x)))
        out = self.act(self.n2(self.c2(out)))
        out = self.n3(self.c3(out))
        out += x
        return self.act(out)


class Net(nn.Module):
    def __init__(self, c=3, blocks=2):
        super().__init__()
        act = nn.ReLU(inplace=True)
        self.stem = nn.Conv2d(1, c, 3, padding=1)
        self.blocks = nn.Sequential(*[Bottleneck(c, 2, act) for _ in range(blocks)])
        self.fc = nn.Linear(c, 2)

    def forward(self, x):
        return self.fc(self.blocks(self.stem(x)).mean((2, 3)))


def main():
    torch.manual_seed(107)
    net = Net()
    nn.functional.cross_entropy(net(torch.randn(3, 1, 5, 5)), torch.tensor([0, 1, 1])).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
