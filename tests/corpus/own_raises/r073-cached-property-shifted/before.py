from functools import cached_property

import torch
from torch import nn


class LogNormalPrior:
    def __init__(self, raw_loc, raw_scale):
        self.raw_loc, self.raw_scale = raw_loc, raw_scale

    @cached_property
    def scale(self):
        return self.raw_scale.exp()

    def sample(self, noise):
        return self.raw_loc + noise * self.scale

    def kl(self, eps=1e-4):
        var = self.scale.add_(eps).square()
        return 0.5 * (var + self.raw_loc.square() - 1 - var.log()).sum()


class Encoder(nn.Module):
    def __init__(self, d, z):
        super().__init__()
        self.loc, self.scale = nn.Linear(d, z), nn.Linear(d, z)

    def forward(self, x):
        return LogNormalPrior(self.loc(x), self.scale(x))


def main():
    torch.manual_seed(89)
    enc, dec = Encoder(4, 2), nn.Linear(2, 4)
    x = torch.randn(5, 4)
    q = enc(x)
    recon = (dec(q.sample(torch.randn(5, 2))) - x).square().sum()
    (recon + q.kl()).backward()
    return {n: p.grad.clone() for n, p in enc.named_parameters()}


if __name__ == "__main__":
    main()
