import torch
import torch.nn as nn


def conv3x3(cin, cout, stride=1):
    return nn.Conv2d(cin, cout, 3, stride=stride, padding=1)


class PreActUnit(nn.Module):
    def __init__(self, cin, cout, stride=1):
        super().__init__()
        self.act = nn.LeakyReLU(0.1, inplace=True)
        self.conv1 = conv3x3(cin, cout, stride)
        self.conv2 = conv3x3(cout, cout)
        self.down = nn.Conv2d(cin, cout, 1, stride=stride) if stride > 1 or cin != cout else nn.Identity()

    def forward(self, x):
        shortcut = self.down(x)
        out = self.conv1(self.act(x))
        out = self.conv2(self.act(out))
        return out + shortcut


class DepthNet(nn.Module):
    def __init__(self, widths=(4, 6, 8)):
        super().__init__()
        self.stem = conv3x3(3, widths[0])
        self.stages = nn.Sequential(*(PreActUnit(a, b, 2) for a, b in zip(widths, widths[1:])))
        self.up = nn.Sequential(nn.Conv2d(widths[-1], 1, 1), nn.Upsample(scale_factor=4), nn.Softplus())

    def forward(self, x):
        return self.up(self.stages(self.stem(x)))


def silog(pred, depth, lam=0.85):
    d = pred.clamp(min=1e-3).log() - depth.log()
    return d.pow(2).mean() - lam * d.mean().pow(2)


def main():
    torch.manual_seed(51)
    net = DepthNet()
    loss = silog(net(torch.randn(2, 3, 8, 8)), torch.rand(2, 1, 8, 8) + 0.5)
    loss.backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
