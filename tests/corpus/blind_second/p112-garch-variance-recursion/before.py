import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class GARCH11(nn.Module):
    def __init__(self, persistence=0.9):
        super().__init__()
        self.raw_omega = nn.Parameter(torch.tensor(-2.0))
        self.raw_alpha = nn.Parameter(torch.tensor(-2.0))
        self.raw_beta = nn.Parameter(torch.tensor(persistence))

    def coefficients(self):
        return F.softplus(self.raw_omega), torch.sigmoid(self.raw_alpha), torch.sigmoid(self.raw_beta)

    def variance(self, returns):
        omega, alpha, beta = self.coefficients()
        var = torch.empty_like(returns)
        var[0] = returns.var()
        for t in range(1, len(returns)):
            var[t] = omega + alpha * returns[t - 1] ** 2 + beta * var[t - 1]
        return var

    def forward(self, returns):
        var = self.variance(returns)
        return 0.5 * (math.log(2 * math.pi) + var.log() + returns ** 2 / var).sum()


def fit(model, returns, steps, lr):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    for _ in range(steps):
        opt.zero_grad()
        nll = model(returns)
        nll.backward()
        opt.step()
    return nll.detach()


def main():
    torch.manual_seed(52)
    shocks = torch.randn(14)
    returns = shocks * torch.linspace(0.5, 1.5, 14).sqrt()
    model = GARCH11()
    nll = fit(model, returns, steps=2, lr=0.01)
    return {"nll": nll, **{n: p.grad for n, p in model.named_parameters()}}


if __name__ == "__main__":
    main()
