import torch
from torch import nn


class RunningMeanStd(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.register_buffer("mean", torch.zeros(dim))
        self.register_buffer("var", torch.ones(dim))
        self.register_buffer("count", torch.tensor(1e-4))

    @torch.no_grad()
    def update(self, x):
        total = self.count + len(x)
        delta = x.mean(0) - self.mean
        self.mean = self.mean + delta * len(x) / total
        m2 = self.var * self.count + x.var(0, unbiased=False) * len(x) + delta**2 * self.count * len(x) / total
        self.var, self.count = m2 / total, total

    def forward(self, x):
        if self.training:
            self.update(x)
        return ((x - self.mean) * torch.rsqrt(self.var + 1e-5)).clamp(-5, 5)


def main():
    torch.manual_seed(435)
    norm, net = RunningMeanStd(3), nn.Linear(3, 1)
    for _ in range(3):
        net.zero_grad()
        net(norm(torch.randn(6, 3) * 3 + 1)).square().mean().backward()
    return {"mean": norm.mean, "var": norm.var, "grad": net.weight.grad}


if __name__ == "__main__":
    main()
