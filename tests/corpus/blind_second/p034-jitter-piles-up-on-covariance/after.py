import torch
import torch.nn as nn


class FactorModel:
    """Returns covariance from loadings and idiosyncratic variances."""

    def __init__(self, returns, factors):
        centred = returns - returns.mean(0)
        u, s, v = torch.linalg.svd(centred, full_matrices=False)
        load = v[:factors].t() * s[:factors] / len(returns) ** 0.5
        resid = (centred - centred @ v[:factors].t() @ v[:factors]).var(0)
        self._cov = load @ load.t() + resid.diag()

    @property
    def covariance(self):
        return self._cov


def regularise(cov, jitter):
    return cov + jitter * cov.diagonal().mean() * torch.eye(len(cov))


class Allocation(nn.Module):
    def __init__(self, assets):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(assets))

    def forward(self, model, mu, aversion, jitter=0.1):
        w = self.logits.softmax(0)
        cov = regularise(model.covariance, jitter)
        return aversion * w @ cov @ w - mu @ w


def main():
    torch.manual_seed(36)
    returns = torch.randn(30, 5) @ torch.randn(5, 5) * 0.1
    model, alloc = FactorModel(returns, 2), Allocation(5)
    opt = torch.optim.SGD(alloc.parameters(), lr=5.0)
    for _ in range(4):
        opt.zero_grad()
        loss = alloc(model, returns.mean(0), aversion=3.0)
        loss.backward()
        opt.step()
    return {"loss": loss.detach(), "weights": alloc.logits.detach().softmax(0)}


if __name__ == "__main__":
    main()
