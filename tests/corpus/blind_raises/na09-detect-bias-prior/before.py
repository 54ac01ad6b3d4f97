import math

import torch
import torch.nn as nn


def autopad(k):
    return k // 2


class ConvBN(nn.Module):
    def __init__(self, c1, c2, k=1, s=1):
        super().__init__()
        self.conv = nn.Conv2d(c1, c2, k, s, autopad(k), bias=False)
        self.bn = nn.BatchNorm2d(c2)
        self.act = nn.SiLU()

    def forward(self, x):
        return self.act(self.bn(self.conv(x)))


class Detect(nn.Module):
    stride = (8, 16)

    def __init__(self, nc, na, channels):
        super().__init__()
        self.nc, self.na, self.no = nc, na, nc + 5
        self.m = nn.ModuleList(nn.Conv2d(c, self.no * na, 1) for c in channels)

    def forward(self, feats):
        out = []
        for conv, f in zip(self.m, feats):
            b, _, h, w = f.shape
            out.append(conv(f).view(b, self.na, self.no, h, w).permute(0, 1, 3, 4, 2))
        return out


class Detector(nn.Module):
    def __init__(self, nc=3, na=2):
        super().__init__()
        self.p3 = ConvBN(3, 4, 3, 2)
        self.p4 = ConvBN(4, 6, 3, 2)
        self.detect = Detect(nc, na, (4, 6))
        self._initialize_biases()

    def _initialize_biases(self):
        head = self.detect
        for conv, s in zip(head.m, head.stride):
            b = conv.bias.view(head.na, -1)
            b[:, 4] += math.log(8 / (640 / s) ** 2)
            b[:, 5:] += math.log(0.6 / (head.nc - 0.99))
            conv.bias = nn.Parameter(b.view(-1), requires_grad=True)

    def forward(self, x):
        p3 = self.p3(x)
        return self.detect([p3, self.p4(p3)])


def main():
    torch.manual_seed(0)
    model = Detector()
    loss = sum(p[..., 4].sigmoid().mean() + p[..., :4].abs().mean() for p in model(torch.rand(2, 3, 16, 16)))
    loss.backward()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
