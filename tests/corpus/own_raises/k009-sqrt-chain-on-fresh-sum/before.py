import torch
from torch import nn


def inv_rms(x, eps=1e-6):
    return x.pow(2).mean(-1, keepdim=True).add_(eps).rsqrt_()


class RMSNorm(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(d))

    def forward(self, x):
        return x * inv_rms(x) * self.gain


class FeedForward(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm, self.w1, self.w2 = RMSNorm(d), nn.Linear(d, 2 * d), nn.Linear(2 * d, d)

    def forward(self, x):
        h = self.w1(self.norm(x)).mul_(0.5)
        return self.w2(torch.nn.functional.mish(h, inplace=True)).add_(x)


def main():
    torch.manual_seed(8)
    ff = FeedForward(4)
    ff(torch.randn(3, 4)).square().mean().backward()
    return {n: p.grad.clone() for n, p in ff.named_parameters()}


if __name__ == "__main__":
    main()
