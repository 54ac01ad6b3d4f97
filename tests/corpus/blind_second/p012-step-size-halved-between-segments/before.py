import torch
import torch.nn as nn
from torch.utils.checkpoint import checkpoint


class VectorField(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.a = nn.Linear(dim, 16)
        self.b = nn.Linear(16, dim)

    def forward(self, y):
        return self.b(torch.tanh(self.a(y)))


class AdaptiveEuler(nn.Module):
    def __init__(self, field, dt):
        super().__init__()
        self.field = field
        self.register_buffer("dt", torch.tensor(dt))

    def advance(self, y):
        k1 = self.field(y)
        k2 = self.field(y + 0.5 * self.dt * k1)
        return y + self.dt * k2

    def shrink(self):
        self.dt.mul_(0.5)

    def forward(self, y, steps):
        path = [y]
        for _ in range(steps):
            y = checkpoint(self.advance, y, use_reentrant=False)
            path.append(y)
            self.shrink()
        return torch.stack(path, dim=1)


def main():
    torch.manual_seed(17)
    solver = AdaptiveEuler(VectorField(3), dt=0.4)
    path = solver(torch.randn(5, 3), steps=3)
    loss = (path[:, -1] - 1.0).pow(2).mean() + path.pow(2).mean()
    loss.backward()
    return {n: p.grad for n, p in solver.named_parameters()}


if __name__ == "__main__":
    main()
