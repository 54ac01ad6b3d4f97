import torch
import torch.nn as nn


class Diffusivity(nn.Module):
    def __init__(self):
        super().__init__()
        self.raw = nn.Parameter(torch.tensor(-1.0))

    def forward(self):
        return nn.functional.softplus(self.raw)


class HeatSolver:
    def __init__(self, n, dt):
        self.dx, self.dt = 1.0 / (n - 1), dt

    def laplacian(self, u):
        return (u[2:] - 2 * u[1:-1] + u[:-2]) / self.dx ** 2

    def solve(self, u0, kappa, steps):
        u = u0.clone()
        for _ in range(steps):
            rate = kappa * self.laplacian(u)
            u[1:-1] += self.dt * rate
        return u


def invert(model, solver, u0, observed, steps):
    opt = torch.optim.Adam(model.parameters(), lr=0.05)
    for _ in range(2):
        opt.zero_grad()
        misfit = (solver.solve(u0, model(), steps) - observed).pow(2).sum()
        misfit.backward()
        opt.step()
    return misfit.detach()


def main():
    torch.manual_seed(81)
    x = torch.linspace(0, 1, 12)
    model, solver = Diffusivity(), HeatSolver(12, dt=1e-3)
    misfit = invert(model, solver, torch.sin(torch.pi * x), 0.7 * torch.sin(torch.pi * x), steps=4)
    return {"misfit": misfit, "grad": model.raw.grad}


if __name__ == "__main__":
    main()
