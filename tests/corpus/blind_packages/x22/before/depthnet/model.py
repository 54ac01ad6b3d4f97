import torch
from torch import nn


class DepthNet(nn.Module):
    def __init__(self, width, log=None):
        super().__init__()
        self.c1 = nn.Conv2d(3, width, 3, padding=1)
        self.bn = nn.BatchNorm2d(width)
        self.c2 = nn.Conv2d(width, width, 3, padding=1)
        self.out = nn.Conv2d(width, 1, 1)
        self.act = nn.ReLU(inplace=True)
        self.log = log

    def forward(self, x):
        x = self.act(self.bn(self.c1(x)))
        f = torch.tanh(self.c2(x))
        if self.log is not None:
            self.log("tanh", f)
        return self.out(f).exp_()
