import torch
import torch.nn as nn


class ConstrainedFit:
    def __init__(self, n):
        self.model = nn.Linear(n, 1)
        self.mult = torch.zeros(1)
        self.opt = torch.optim.SGD(self.model.parameters(), lr=0.05)

    def violation(self):
        return (self.model.weight.abs().sum() - 0.5).reshape(1)

    def lagrangian(self, x, y):
        fit = (self.model(x).squeeze(1) - y).square().mean()
        return fit + (self.mult * self.violation()).sum()

    @torch.no_grad()
    def dual_ascent(self, rate=0.5):
        self.mult.add_(rate * self.violation()).clamp_(min=0)

    def step(self, x, y):
        value = self.lagrangian(x, y)
        self.dual_ascent()
        self.opt.zero_grad()
        value.backward()
        self.opt.step()
        return value.detach()


def main():
    torch.manual_seed(60)
    fit = ConstrainedFit(3)
    trace = [fit.step(torch.randn(8, 3), torch.randn(8)) for _ in range(4)]
    return {"trace": torch.stack(trace), "mult": fit.mult}


if __name__ == "__main__":
    main()
