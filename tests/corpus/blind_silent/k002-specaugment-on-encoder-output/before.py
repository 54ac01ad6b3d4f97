import random
from typing import Iterator, Tuple

import torch
from torch import nn


def random_bands(size: int, count: int, width: int, rng: random.Random) -> Iterator[Tuple[int, int]]:
    for _ in range(count):
        w = rng.randint(1, width)
        yield rng.randint(0, size - w), w


def mask_axis(feats, axis, count, width, rng):
    raw = feats.data
    for start, w in random_bands(feats.size(axis), count, width, rng):
        raw.narrow(axis, start, w).fill_(0.0)
    return feats


class SpecAug:
    def __init__(self, seed=0):
        self.rng = random.Random(seed)
        self.plan = [(1, 2, 3), (2, 1, 2)]

    def __call__(self, feats):
        for axis, count, width in self.plan:
            feats = mask_axis(feats, axis, count, width, self.rng)
        return feats


class Acoustic(nn.Module):
    def __init__(self, mels=8, hidden=10, phones=5):
        super().__init__()
        self.front = nn.Linear(mels, hidden)
        self.augment = SpecAug()
        self.out = nn.Linear(hidden, phones)

    def forward(self, x):
        h = torch.tanh(self.front(x))
        if self.training:
            h = self.augment(h)
        return self.out(h).log_softmax(-1)


def main():
    torch.manual_seed(11)
    net = Acoustic()
    x = torch.randn(3, 12, 8)
    y = torch.randint(0, 5, (3, 12))
    loss = nn.functional.nll_loss(net(x).transpose(1, 2), y)
    loss.backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
