import torch
from torch import nn


class TokenDrop(nn.Module):
    def __init__(self, dim, keep):
        super().__init__()
        self.keep, self.block, self.fill = keep, nn.Linear(dim, dim), nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        n = x.size(0)
        idx = torch.randperm(n)[: self.keep]
        out = self.fill.repeat(n, 1)
        out.index_copy_(0, idx, self.block(x[idx]))
        rest = torch.ones(n, dtype=torch.bool)
        rest[idx] = False
        out[rest] += x[rest]
        return out


def main():
    torch.manual_seed(545)
    net = nn.Sequential(TokenDrop(3, 4), TokenDrop(3, 2))
    net(torch.randn(6, 3)).logsumexp(1).sum().backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
