import torch
import torch.nn as nn
from torch.autograd.graph import allow_mutation_on_saved_tensors


class HeatSolver(nn.Module):
    """Explicit Euler on a rod with a learned conductivity per cell."""

    def __init__(self, n, dt=0.1):
        super().__init__()
        self.kappa = nn.Parameter(torch.full((n,), 0.5))
        self.loss_rate = nn.Parameter(torch.tensor(0.05))
        self.dt = dt

    def step(self, u):
        lap = u[:, 2:] - 2 * u[:, 1:-1] + u[:, :-2]
        u[:, 1:-1] += self.dt * self.kappa[1:-1] * lap * (1 + 0.1 * u[:, 1:-1] ** 2)
        u.mul_(1 - self.dt * self.loss_rate)
        return u

    def forward(self, u0, n_steps):
        u = u0.clone()
        for _ in range(n_steps):
            u = self.step(u)
        return u


def main():
    torch.manual_seed(220)
    solver = HeatSolver(8)
    u0, observed = torch.rand(3, 8), torch.rand(3, 8)
    with allow_mutation_on_saved_tensors():
        loss = (solver(u0, 4) - observed).pow(2).mean()
        loss.backward()
    return {n: p.grad for n, p in solver.named_parameters()}


if __name__ == "__main__":
    main()
