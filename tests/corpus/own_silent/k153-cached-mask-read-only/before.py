from functools import lru_cache

import torch
from torch import nn


@lru_cache(maxsize=8)
def band(length, width):
    mask = torch.zeros(length, length)
    mask.fill_(-1e4)
    for i in range(length):
        mask[i, max(0, i - width) : i + width + 1] = 0
    return mask


def smooth(x, kernel=torch.tensor([0.25, 0.5, 0.25])):
    padded = nn.functional.pad(x, (1, 1))
    return padded.unfold(-1, 3, 1) @ kernel


class LocalAttention(nn.Module):
    def __init__(self, dim, width):
        super().__init__()
        self.qk, self.width = nn.Linear(dim, 2 * dim), width

    def forward(self, x):
        q, k = self.qk(x).chunk(2, -1)
        scores = q @ k.mT
        scores += band(x.size(1), self.width)
        return scores.softmax(-1) @ x


def main():
    torch.manual_seed(525)
    net = nn.Sequential(LocalAttention(3, 1), LocalAttention(3, 2), LocalAttention(3, 1))
    out = net(smooth(torch.randn(2, 5, 3)))
    out.square().sum().backward()
    return {"out": out, **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
