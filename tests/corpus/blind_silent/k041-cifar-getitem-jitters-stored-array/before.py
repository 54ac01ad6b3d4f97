from typing import Callable, Sequence

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

Transform = Callable[[np.ndarray], np.ndarray]


def brightness(rng, amount) -> Transform:
    def apply(im):
        im += rng.uniform(-amount, amount)
        return im

    return apply


def colour_norm(mean, std) -> Transform:
    def apply(im):
        for c in range(im.shape[0]):
            im[c] = (im[c] - mean[c]) / std[c]
        return im

    return apply


class Cifar(Dataset):
    def __init__(self, images: np.ndarray, labels: Sequence[int], transforms: Sequence[Transform]):
        self.images, self.labels, self.transforms = images, labels, transforms

    def __len__(self):
        return self.images.shape[0]

    def __getitem__(self, i):
        im = self.images[i]
        for t in self.transforms:
            im = t(im)
        return torch.tensor(im), self.labels[i]


def main():
    torch.manual_seed(191)
    rng = np.random.default_rng(0)
    images = rng.random((8, 3, 4, 4), dtype=np.float32)
    data = Cifar(images, [0, 1] * 4, [brightness(rng, 0.2), colour_norm((0.5, 0.4, 0.4), (0.3, 0.2, 0.2))])
    net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(16, 2))
    opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    for epoch in range(3):
        for x, y in DataLoader(data, batch_size=4):
            opt.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            opt.step()
    return {n: p.detach().clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
