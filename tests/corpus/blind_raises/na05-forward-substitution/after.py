from typing import NamedTuple

import torch
from torch import Tensor, nn


class Factor(NamedTuple):
    lower: Tensor
    diag: Tensor


class PrecisionNet(nn.Module):
    """Predicts a lower triangular factor of the precision matrix for each sample."""

    def __init__(self, features: int, dim: int):
        super().__init__()
        self.dim = dim
        self.net = nn.Linear(features, dim * dim + dim)

    def forward(self, x: Tensor) -> Factor:
        raw = self.net(x)
        lower = raw[:, : self.dim ** 2].reshape(-1, self.dim, self.dim).tril(-1)
        return Factor(lower, nn.functional.softplus(raw[:, self.dim ** 2 :]) + 0.1)


class TriangularSolver:
    def __init__(self, factor: Factor):
        self.factor = factor

    def solve(self, rhs: Tensor) -> Tensor:
        lower, diag = self.factor
        cols = []
        for i in range(rhs.shape[1]):
            done = torch.stack(cols, dim=1) if cols else rhs[:, :0]
            partial = torch.einsum("bk,bk->b", lower[:, i, :i], done)
            cols.append((rhs[:, i] - partial) / diag[:, i])
        return torch.stack(cols, dim=1)

    @property
    def logdet(self) -> Tensor:
        return self.factor.diag.log().sum(dim=1)


def nll(net: PrecisionNet, x: Tensor, y: Tensor) -> Tensor:
    solver = TriangularSolver(net(x))
    white = solver.solve(y)
    return (0.5 * white.square().sum(dim=1) + solver.logdet).mean()


def main():
    torch.manual_seed(0)
    net = PrecisionNet(3, 4)
    loss = nll(net, torch.randn(6, 3), torch.randn(6, 4))
    loss.backward()
    return {"w": net.net.weight.grad, "b": net.net.bias.grad}


if __name__ == "__main__":
    main()
