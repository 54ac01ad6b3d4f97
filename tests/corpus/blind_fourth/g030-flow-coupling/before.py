import torch
import torch.nn as nn


class Coupling(nn.Module):
    def __init__(self, dim, flip):
        super().__init__()
        self.half = dim // 2
        self.flip = flip
        self.st = nn.Sequential(nn.Linear(self.half, 8), nn.Tanh(), nn.Linear(8, dim))

    def forward(self, x):
        a, b = x[:, : self.half], x[:, self.half:]
        if self.flip:
            a, b = b, a
        s, t = self.st(a).chunk(2, 1)
        y = torch.empty_like(x)
        y[:, : self.half] = a
        y[:, self.half:] = b * s.exp() + t
        return y, s.sum(1)


class Flow(nn.ModuleList):
    def nll(self, x):
        logdet = torch.zeros(len(x))
        for layer in self:
            x, ld = layer(x)
            logdet += ld
        return (0.5 * x.square().sum(1) - logdet).mean()


def main():
    torch.manual_seed(32)
    flow = Flow(Coupling(4, i % 2 == 1) for i in range(3))
    flow.nll(torch.randn(6, 4)).backward()
    return {n: p.grad for n, p in flow.named_parameters()}


if __name__ == "__main__":
    main()
