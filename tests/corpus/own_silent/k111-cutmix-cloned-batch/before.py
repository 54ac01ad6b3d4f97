import torch
from torch import nn


class CutMix:
    def __init__(self, size, generator):
        self.size, self.g = size, generator

    def __call__(self, images, labels, classes):
        perm = torch.randperm(len(images), generator=self.g)
        r, c = torch.randint(0, images.shape[-1] - self.size, (2,), generator=self.g).tolist()
        box = (..., slice(r, r + self.size), slice(c, c + self.size))
        mixed = images.clone()
        mixed[box] = images[perm][box]
        lam = 1 - self.size**2 / (images.shape[-1] * images.shape[-2])
        soft = nn.functional.one_hot(labels, classes).float()
        soft *= lam
        soft += (1 - lam) * nn.functional.one_hot(labels[perm], classes)
        return mixed, soft


def main():
    torch.manual_seed(105)
    mix = CutMix(3, torch.Generator().manual_seed(2))
    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.Hardswish(inplace=True), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2, 3))
    images, labels = torch.randn(4, 1, 8, 8), torch.tensor([0, 1, 2, 1])
    x, y = mix(images, labels, 3)
    nn.functional.cross_entropy(net(x), y).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
