import torch
from torch import nn
import torch.nn.functional as F


class InjectedCell(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.recur = nn.Linear(dim, dim, bias=False)
        self.inject = nn.Linear(dim, dim)
        with torch.no_grad():
            self.recur.weight.mul_(0.3)

    def forward(self, z, x):
        return torch.tanh(self.recur(z) + self.inject(x))


def anderson(f, x0, m=3, iterations=8, lam=1e-3, beta=1.0):
    b, d = x0.shape
    xs, fs = x0.new_zeros(b, m, d), x0.new_zeros(b, m, d)
    xs[:, 0], fs[:, 0] = x0, f(x0)
    xs[:, 1], fs[:, 1] = fs[:, 0], f(fs[:, 0])
    system = x0.new_zeros(b, m + 1, m + 1)
    system[:, 0, 1:] = system[:, 1:, 0] = 1
    rhs = x0.new_zeros(b, m + 1, 1)
    rhs[:, 0] = 1
    for k in range(2, iterations):
        n = min(k, m)
        g = fs[:, :n] - xs[:, :n]
        system[:, 1 : n + 1, 1 : n + 1] = g @ g.transpose(1, 2) + lam * torch.eye(n)
        alpha = torch.linalg.solve(system[:, : n + 1, : n + 1], rhs[:, : n + 1])[:, 1:].transpose(1, 2)
        xs[:, k % m] = (beta * alpha @ fs[:, :n] + (1 - beta) * alpha @ xs[:, :n]).squeeze(1)
        fs[:, k % m] = f(xs[:, k % m])
    return xs[:, (iterations - 1) % m]


class DEQLayer(nn.Module):
    def __init__(self, dim, solver=anderson):
        super().__init__()
        self.cell, self.solver = InjectedCell(dim), solver

    def forward(self, x):
        with torch.no_grad():
            z = self.solver(lambda s: self.cell(s, x), torch.zeros_like(x))
        return self.cell(z, x)


def main():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 5), DEQLayer(5), nn.Linear(5, 2))
    F.cross_entropy(net(torch.randn(4, 3)), torch.tensor([0, 1, 1, 0])).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
