from dataclasses import dataclass, field

import torch
import torch.nn as nn


@dataclass
class Ring:
    capacity: int
    dim: int
    head: int = 0
    full: bool = False
    obs: torch.Tensor = field(init=False)
    rew: torch.Tensor = field(init=False)

    def __post_init__(self):
        self.obs = torch.zeros(self.capacity, self.dim)
        self.rew = torch.zeros(self.capacity)

    def __len__(self):
        return self.capacity if self.full else self.head

    def push(self, obs, rew):
        self.obs[self.head] = obs
        self.rew[self.head] = rew
        self.head = (self.head + 1) % self.capacity
        self.full |= self.head == 0

    def sample(self, n, gen):
        idx = torch.randint(len(self), (n,), generator=gen)
        return self.obs[idx], self.rew[idx]


class Drift:
    def __init__(self, dim):
        self.state = torch.zeros(dim)

    def step(self, gen):
        self.state.mul_(0.9).add_(torch.randn(len(self.state), generator=gen))
        return self.state, -self.state.norm()


def main():
    torch.manual_seed(83)
    gen = torch.Generator().manual_seed(5)
    env, ring = Drift(3), Ring(capacity=6, dim=3)
    value = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1))
    total = 0.0
    for t in range(12):
        ring.push(*env.step(gen))
        if t >= 4:
            obs, rew = ring.sample(4, gen)
            total = total + (value(obs).squeeze(1) - rew).square().mean()
    total.backward()
    return {n: p.grad for n, p in value.named_parameters()}


if __name__ == "__main__":
    main()
