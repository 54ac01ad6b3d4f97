import torch
import torch.nn as nn


class InitialCondition(nn.Module):
    def __init__(self, modes):
        super().__init__()
        self.amps = nn.Parameter(torch.randn(modes) * 0.3)

    def forward(self, x):
        k = torch.arange(1, len(self.amps) + 1).unsqueeze(1)
        return (self.amps.unsqueeze(1) * torch.sin(k * x)).sum(0) + 1.0


class BurgersSolver:
    def __init__(self, n, dt, nu):
        self.x = torch.linspace(0, 2 * torch.pi, n)
        self.dx = float(self.x[1] - self.x[0])
        self.dt, self.nu = dt, nu

    def rhs(self, u):
        advect = u[1:-1] * (u[1:-1] - u[:-2]) / self.dx
        diffuse = (u[2:] - 2 * u[1:-1] + u[:-2]) / self.dx ** 2
        return advect - self.nu * diffuse

    def solve(self, u, steps):
        for _ in range(steps):
            rate = self.rhs(u)
            u[1:-1] -= self.dt * rate
        return u


def data_assimilation(model, solver, observed, steps, lr):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    for _ in range(2):
        opt.zero_grad()
        misfit = (solver.solve(model(solver.x), steps) - observed).pow(2).mean()
        misfit.backward()
        opt.step()
    return misfit.detach()


def main():
    torch.manual_seed(54)
    model, solver = InitialCondition(3), BurgersSolver(16, dt=0.02, nu=0.05)
    misfit = data_assimilation(model, solver, torch.ones(16), steps=3, lr=0.05)
    return {"misfit": misfit, "amps": model.amps.grad}


if __name__ == "__main__":
    main()
