import torch
from torch import nn


class VectorField(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.up = nn.Linear(dim + 1, hidden)
        self.down = nn.Linear(hidden, dim)
        self.evals = 0

    def forward(self, t, y):
        self.evals += 1
        time = torch.full_like(y[:, :1], float(t))
        return self.down(torch.tanh(self.up(torch.cat([y, time], dim=1)))) - y ** 3


def rk4_increment(func, t, dt, y):
    k1 = func(t, y)
    k2 = func(t + dt / 2, y + dt / 2 * k1)
    k3 = func(t + dt / 2, y + dt / 2 * k2)
    k4 = func(t + dt, y + dt * k3)
    return dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


SOLVERS = {
    "euler": lambda func, t, dt, y: dt * func(t, y),
    "rk4": rk4_increment,
}


def integrate(func, y0, times, method="rk4"):
    step = SOLVERS[method]
    y = y0.clone()
    path = [y0]
    for t0, t1 in zip(times[:-1], times[1:]):
        y = y + step(func, t0, t1 - t0, y)
        path.append(y.clone())
    return torch.stack(path)


class LatentODE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(5, 3)
        self.field = VectorField(3, 8)

    def forward(self, x, times):
        return integrate(self.field, self.encoder(x), times)


def main():
    torch.manual_seed(1)
    model = LatentODE()
    times = torch.linspace(0, 1, 4).tolist()
    path = model(torch.randn(4, 5), times)
    (path - torch.randn(4, 4, 3)).square().mean().backward()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
