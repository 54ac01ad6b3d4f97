import torch
import torch.nn.functional as F
from torch import nn


class ConvBNReLU(nn.Sequential):
    def __init__(self, cin, cout, kernel=3):
        super().__init__(
            nn.Conv2d(cin, cout, kernel, padding=kernel // 2, bias=False),
            nn.BatchNorm2d(cout),
            nn.ReLU(),
        )


class Merge(nn.Module):
    def __init__(self, deep, shallow, out):
        super().__init__()
        self.reduce = ConvBNReLU(deep, out, kernel=1)
        self.lateral = ConvBNReLU(shallow, out, kernel=1)
        self.fuse = ConvBNReLU(out, out)

    def forward(self, deep, shallow):
        lateral = self.lateral(shallow)
        lateral += F.interpolate(self.reduce(deep), scale_factor=2, mode="bilinear")
        return self.fuse(lateral)


def main():
    torch.manual_seed(87)
    merge = Merge(4, 2, 3)
    out = merge(torch.randn(2, 4, 3, 3), torch.randn(2, 2, 6, 6))
    out.square().mean().backward()
    return {n: p.grad.clone() for n, p in merge.named_parameters()}


if __name__ == "__main__":
    main()
