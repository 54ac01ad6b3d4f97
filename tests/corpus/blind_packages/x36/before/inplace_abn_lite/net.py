from torch import nn

from .modules import ABN


class Bottleneck(nn.Module):
    def __init__(self, ch, slope):
        super().__init__()
        self.conv1 = nn.Conv2d(ch, ch // 2, 1, bias=False)
        self.abn1 = ABN(ch // 2, slope)
        self.conv2 = nn.Conv2d(ch // 2, ch, 3, padding=1)

    def forward(self, x):
        y = self.conv2(self.abn1(self.conv1(x)))
        y += x
        return y


def make_net(width, slope, classes):
    return nn.Sequential(
        nn.Conv2d(3, width, 3, bias=False),
        ABN(width, slope),
        Bottleneck(width, slope),
        Bottleneck(width, slope),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(width, classes),
    )
