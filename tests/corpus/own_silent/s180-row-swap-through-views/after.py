import torch
from torch import nn


def shuffle_rows(x, generator):
    """Fisher-Yates."""
    for i in range(len(x) - 1, 0, -1):
        j = torch.randint(0, i + 1, (), generator=generator).item()
        x[[i, j]] = x[[j, i]]
    return x


class PermutationTest(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(2 * dim, 4), nn.Tanh(), nn.Linear(4, 1))

    def forward(self, x, y):
        shuffled = shuffle_rows(y.clone(), torch.Generator().manual_seed(4))
        joint, product = self.f(torch.cat([x, y], 1)), self.f(torch.cat([x, shuffled], 1))
        return joint.mean() - product.exp().mean().log()


def main():
    torch.manual_seed(761)
    net = PermutationTest(2)
    bound = net(torch.randn(6, 2), torch.randn(6, 2))
    bound.backward()
    return {"bound": bound, **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
