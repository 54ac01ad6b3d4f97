import torch
from torch import nn
from torch.nn import functional as F


class PrunedLinear(nn.Linear):
    def __init__(self, din, dout, keep=0.6):
        super().__init__(din, dout)
        self.register_buffer("mask", (torch.rand(dout, din) < keep).float())

    def forward(self, x):
        return F.linear(x, self.weight * self.mask, self.bias)


class Twin(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(4, 6)
        self.tower = nn.Sequential(PrunedLinear(6, 6), nn.Softplus(), PrunedLinear(6, 3))

    def embed(self, x):
        return self.tower(torch.relu(self.stem(x)))

    def forward(self, a, b):
        return F.pairwise_distance(self.embed(a), self.embed(b))


def main():
    torch.manual_seed(12)
    twin = Twin()
    d = twin(torch.randn(5, 4), torch.randn(5, 4))
    F.relu(1.0 - d).mean().backward()
    return {n: p.grad.clone() for n, p in twin.named_parameters()}


if __name__ == "__main__":
    main()
