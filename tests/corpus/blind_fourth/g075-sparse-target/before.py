import torch
import torch.nn as nn


class TopK(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k

    @torch.no_grad()
    def select(self, h):
        cut = h.topk(self.k, dim=1).values[:, -1:]
        h.mul_(h >= cut)
        return h

    def forward(self, h):
        self.select(h)
        return h


class SparseCoder(nn.Module):
    def __init__(self, n, m, k):
        super().__init__()
        self.enc, self.top, self.dec = nn.Linear(n, m), TopK(k), nn.Linear(m, n)

    def forward(self, x):
        return self.dec(self.top(self.enc(x)))


def main():
    torch.manual_seed(84)
    net = SparseCoder(4, 10, 3)
    x = torch.randn(6, 4)
    (net(x) - x).square().mean().backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
