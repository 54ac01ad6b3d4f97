import torch
import torch.nn.functional as F
from torch import nn


class Down(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, 3, padding=1)
        self.pool = nn.MaxPool2d(2)

    def forward(self, x):
        y = self.conv(x)
        return self.pool(y), y


class TinyUNet(nn.Module):
    def __init__(self, widths=(2, 3, 4)):
        super().__init__()
        self.down = nn.ModuleList(Down(a, b) for a, b in zip((1,) + widths, widths))
        self.up = nn.ModuleList(nn.LazyConv2d(w, 3, padding=1) for w in widths)

    def forward(self, x):
        skips = []
        for stage in self.down:
            x, keep = stage(x)
            skips.append(keep)
        while skips:
            skip = skips.pop()
            skip = skip.relu()
            x = F.interpolate(x, size=skip.shape[-2:])
            x = self.up[len(skips)](torch.cat([x, skip], 1))
        return x


def main():
    torch.manual_seed(38)
    net = TinyUNet()
    net(torch.randn(1, 1, 8, 8)).square().mean().backward()
    return {n: p.grad.clone() for n, p in net.named_parameters() if p.grad is not None}


if __name__ == "__main__":
    main()
