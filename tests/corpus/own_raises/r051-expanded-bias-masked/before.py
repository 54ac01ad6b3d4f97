import torch
from torch import nn


class BiasedScores(nn.Module):
    def __init__(self, d, length):
        super().__init__()
        self.q, self.k = nn.Linear(d, d), nn.Linear(d, d)
        self.slope = nn.Parameter(torch.rand(1, length, 1))

    def forward(self, x, valid):
        scores = self.q(x) @ self.k(x).mT
        row = torch.log1p(self.slope).expand(x.shape[0], -1, x.shape[1])
        row.masked_fill_(~valid[:, None], -1e4)
        return (scores + row).softmax(-1) @ x


def main():
    torch.manual_seed(60)
    layer = BiasedScores(3, 4)
    valid = torch.tensor([[True, True, True, False], [True, True, False, False]])
    layer(torch.randn(2, 4, 3), valid).square().sum().backward()
    return {n: p.grad.clone() for n, p in layer.named_parameters()}


if __name__ == "__main__":
    main()
