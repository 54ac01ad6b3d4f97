import torch
from torch import nn


def widen_stem(conv: nn.Conv2d, extra: int) -> nn.Conv2d:
    wide = nn.Conv2d(
        conv.in_channels + extra,
        conv.out_channels,
        conv.kernel_size,
        padding=conv.padding,
        bias=conv.bias is not None,
    )
    wide.weight[:, : conv.in_channels] = conv.weight
    wide.weight[:, conv.in_channels :] = conv.weight.mean(dim=1, keepdim=True)
    return wide


class DepthNet(nn.Module):
    def __init__(self, rgb_stem):
        super().__init__()
        self.stem = widen_stem(rgb_stem, extra=1)
        self.head = nn.Conv2d(rgb_stem.out_channels, 1, 1)

    def forward(self, rgbd):
        return self.head(torch.relu(self.stem(rgbd)))


def main():
    torch.manual_seed(45)
    net = DepthNet(nn.Conv2d(3, 4, 3, padding=1, bias=False))
    net(torch.randn(2, 4, 5, 5)).abs().mean().backward()
    return {n: p.grad.clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
