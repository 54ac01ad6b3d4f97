import math

import torch
from torch import nn


class Pendulum:
    def __init__(self, batch, length=1.0, mass=1.0, g=9.8, dt=0.05):
        self.length, self.mass, self.g, self.dt = length, mass, g, dt
        self.theta = torch.full((batch,), math.pi - 0.3)
        self.omega = torch.zeros(batch)

    def observe(self):
        return torch.stack([self.theta.cos(), self.theta.sin(), self.omega], dim=1)

    def acceleration(self, torque):
        inertia = self.mass * self.length ** 2
        return torque / inertia - self.g / self.length * torch.sin(self.theta)

    def step(self, torque):
        self.omega += self.dt * self.acceleration(torque)
        self.theta = self.theta + self.dt * self.omega

    def energy(self):
        kinetic = 0.5 * self.mass * (self.length * self.omega).square()
        return kinetic + self.mass * self.g * self.length * (1 - torch.cos(self.theta))


class Controller(nn.Module):
    def __init__(self, limit=2.0):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
        self.limit = limit

    def forward(self, obs):
        return self.limit * torch.tanh(self.net(obs)).squeeze(1)


def rollout(controller, horizon, batch):
    world, effort = Pendulum(batch), 0.0
    for _ in range(horizon):
        torque = controller(world.observe())
        effort = effort + torque.square().mean()
        world.step(torque)
    goal = 2 * world.mass * world.g * world.length
    return (world.energy() - goal).abs().mean() + 1e-3 * effort


def main():
    torch.manual_seed(0)
    controller = Controller()
    rollout(controller, horizon=4, batch=3).backward()
    return {n: p.grad for n, p in controller.named_parameters()}


if __name__ == "__main__":
    main()
