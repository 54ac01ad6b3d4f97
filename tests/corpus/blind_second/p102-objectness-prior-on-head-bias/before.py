import math

import torch
import torch.nn as nn


class Detect(nn.Module):
    def __init__(self, classes, anchors, channels, strides):
        super().__init__()
        self.nc, self.na = classes, anchors
        self.stride = strides
        self.m = nn.ModuleList(nn.Conv2d(c, anchors * (5 + classes), 1) for c in channels)

    def forward(self, feats):
        out = []
        for conv, f in zip(self.m, feats):
            b, _, h, w = f.shape
            out.append(conv(f).view(b, self.na, 5 + self.nc, h, w).permute(0, 1, 3, 4, 2))
        return out


class Model(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.p3 = nn.Conv2d(3, 4, 3, stride=2, padding=1)
        self.p4 = nn.Conv2d(4, 8, 3, stride=2, padding=1)
        self.detect = Detect(classes, 2, (4, 8), (2, 4))
        self._initialize_biases()

    def _initialize_biases(self, cf=None):
        for mi, s in zip(self.detect.m, self.detect.stride):
            b = mi.bias.view(self.detect.na, -1)
            b[:, 4] += math.log(8 / (64 / s) ** 2)
            b[:, 5:] += math.log(0.6 / (self.detect.nc - 0.99))

    def forward(self, x):
        p3 = torch.relu(self.p3(x))
        return self.detect([p3, torch.relu(self.p4(p3))])


def main():
    torch.manual_seed(42)
    model = Model()
    loss = sum(p[..., 4].sigmoid().mean() + p[..., :4].pow(2).mean() for p in model(torch.randn(1, 3, 16, 16)))
    loss.backward()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
