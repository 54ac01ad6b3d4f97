import torch
import torch.nn as nn


class Gravity(nn.Module):
    def __init__(self, n, softening=0.1):
        super().__init__()
        self.log_mass = nn.Parameter(torch.zeros(n))
        self.softening = softening

    def forward(self, pos):
        diff = pos.unsqueeze(0) - pos.unsqueeze(1)
        dist2 = diff.pow(2).sum(-1) + self.softening ** 2
        pull = self.log_mass.exp() / dist2 ** 1.5
        return (pull.unsqueeze(-1) * diff).sum(1)


class HarmonicTrap(nn.Module):
    def __init__(self):
        super().__init__()
        self.k = nn.Parameter(torch.tensor(0.5))

    def forward(self, pos):
        return -self.k * pos


class Leapfrog:
    def __init__(self, forces, dt):
        self.forces, self.dt = forces, dt

    def acceleration(self, pos):
        return sum(force(pos) for force in self.forces)

    def run(self, pos, vel, steps):
        acc = self.acceleration(pos)
        for _ in range(steps):
            vel = vel + 0.5 * self.dt * acc
            pos = pos + self.dt * vel
            acc = self.acceleration(pos)
            vel = vel + 0.5 * self.dt * acc
            yield pos, vel


def main():
    torch.manual_seed(53)
    forces = nn.ModuleList([Gravity(5), HarmonicTrap()])
    observed = torch.randn(5, 2)
    loss = torch.zeros(())
    for pos, vel in Leapfrog(forces, dt=0.05).run(torch.randn(5, 2), torch.zeros(5, 2), steps=3):
        loss = loss + (pos.sum(0) - observed.mean(0)).pow(2).sum() + 0.01 * vel.pow(2).sum()
    loss.backward()
    return {n: p.grad for n, p in forces.named_parameters()}


if __name__ == "__main__":
    main()
