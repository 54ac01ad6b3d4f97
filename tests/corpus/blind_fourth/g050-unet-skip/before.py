import torch
import torch.nn as nn
import torch.nn.functional as F


class Down(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.conv = nn.Conv2d(i, o, 3, padding=1)

    def forward(self, x):
        y = self.conv(x)
        F.relu_(y)
        return F.max_pool2d(y, 2), y


class Up(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.conv = nn.Conv2d(i, o, 3, padding=1)

    def forward(self, x, skip):
        y = self.conv(F.interpolate(x, scale_factor=2))
        y += skip
        return y.relu_()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.d1, self.d2 = Down(1, 2), Down(2, 4)
        self.u2, self.u1 = Up(4, 4), Up(4, 2)
        self.end = nn.Conv2d(2, 1, 1)

    def forward(self, x):
        h, s1 = self.d1(x)
        h, s2 = self.d2(h)
        return self.end(self.u1(self.u2(h, s2), s1))


def main():
    torch.manual_seed(55)
    net = Net()
    F.l1_loss(net(torch.rand(1, 1, 8, 8)), torch.rand(1, 1, 8, 8)).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
