import math

import torch
from torch import Tensor, nn


def safe_cholesky(cov: Tensor, floor: float = 1e-3) -> Tensor:
    factor = torch.linalg.cholesky(cov)
    return factor + floor * torch.eye(cov.shape[-1])


class FullCovarianceHead(nn.Module):
    def __init__(self, features: int, dim: int):
        super().__init__()
        self.dim = dim
        self.mean = nn.Linear(features, dim)
        self.root = nn.Linear(features, dim * dim)

    def forward(self, h: Tensor) -> dict[str, Tensor]:
        root = self.root(h).view(-1, self.dim, self.dim)
        eye = torch.eye(self.dim)
        cov = root @ root.transpose(-1, -2) + eye
        return {"mean": self.mean(h), "scale_tril": safe_cholesky(cov)}


class MultivariateNLL(nn.Module):
    def forward(self, params: dict[str, Tensor], y: Tensor) -> Tensor:
        diff = (y - params["mean"]).unsqueeze(-1)
        tril = params["scale_tril"]
        z = torch.linalg.solve_triangular(tril, diff, upper=False).squeeze(-1)
        logdet = tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        return (0.5 * z.square().sum(-1) + logdet + 0.5 * y.shape[-1] * math.log(2 * math.pi)).mean()


class KeypointRegressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(5, 8), nn.Softsign())
        self.head = FullCovarianceHead(8, 2)

    def forward(self, x):
        return self.head(self.body(x))


def main():
    torch.manual_seed(0)
    net, criterion = KeypointRegressor(), MultivariateNLL()
    criterion(net(torch.randn(4, 5)), torch.randn(4, 2)).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
