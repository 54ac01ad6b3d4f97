import torch
import torch.nn as nn


class Whitener:
    def __init__(self, eps=1e-5):
        self.eps = eps

    def __call__(self, images):
        flat = images.contiguous().flatten(1)
        flat -= flat.mean(dim=1, keepdim=True)
        flat /= flat.std(dim=1, keepdim=True) + self.eps
        return flat


class BrightnessRegressor(nn.Module):
    def __init__(self, pixels):
        super().__init__()
        self.whiten = Whitener()
        self.head = nn.Linear(pixels, 1)

    def forward(self, images):
        contrast = self.head(self.whiten(images))
        level = images.mean(dim=(1, 2, 3)).unsqueeze(1)
        return contrast + level


def main():
    torch.manual_seed(431)
    net = BrightnessRegressor(12)
    images = torch.rand(4, 3, 2, 2) * 5
    out = net(images)
    (out - 1).abs().mean().backward()
    return {"out": out, "head": net.head.weight.grad}


if __name__ == "__main__":
    main()
