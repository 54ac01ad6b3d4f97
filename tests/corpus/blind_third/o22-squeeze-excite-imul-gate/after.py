import torch
import torch.nn as nn


class SE(nn.Module):
    def __init__(self, ch, r=2):
        super().__init__()
        self.fc = nn.Sequential(nn.Linear(ch, ch // r), nn.ReLU(inplace=True), nn.Linear(ch // r, ch), nn.Sigmoid())

    def forward(self, x):
        gate = self.fc(x.mean((2, 3)))[:, :, None, None]
        return x * gate


class SEBottleneck(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(ch, ch, 3, padding=1, bias=False), nn.BatchNorm2d(ch)
        self.conv2, self.bn2 = nn.Conv2d(ch, ch, 3, padding=1, bias=False), nn.BatchNorm2d(ch)
        self.se, self.act = SE(ch), nn.ReLU(inplace=True)

    def forward(self, x):
        y = self.act(self.bn1(self.conv1(x)))
        y = self.se(self.bn2(self.conv2(y)))
        return torch.relu(y + x)


def main():
    torch.manual_seed(222)
    net = nn.Sequential(nn.Conv2d(3, 4, 1), SEBottleneck(4), SEBottleneck(4), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 2))
    img, y = torch.randn(5, 3, 6, 6), torch.tensor([0, 1, 1, 0, 1])
    nn.functional.cross_entropy(net(img), y).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
