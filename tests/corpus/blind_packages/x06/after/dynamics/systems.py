import torch
from torch import nn


class System(nn.Module):
    def rhs(self, state):
        raise NotImplementedError


class Pendulum(System):
    G = 9.81

    def __init__(self, length, damping):
        super().__init__()
        self.length = nn.Parameter(torch.tensor(float(length)))
        self.damping = nn.Parameter(torch.tensor(float(damping)))

    def rhs(self, state):
        theta, omega = state[..., 0], state[..., 1]
        acc = -self.G / self.length * torch.sin(theta)
        acc -= self.damping * omega
        return torch.stack([omega, acc], dim=-1)
