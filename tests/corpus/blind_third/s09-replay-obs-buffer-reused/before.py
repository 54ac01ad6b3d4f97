import random
from collections import deque
import torch
import torch.nn as nn


class PointMass:
    def __init__(self):
        self.obs = torch.randn(4)

    def reset(self):
        self.obs.normal_()
        return self.obs

    def step(self, act):
        self.obs[2:].mul_(0.9).add_(act, alpha=0.3)
        self.obs[:2].add_(self.obs[2:])
        return self.obs, -self.obs[:2].norm().item()


class Replay:
    def __init__(self, cap=64):
        self.data = deque(maxlen=cap)

    def add(self, s, a, r, s2):
        self.data.append((s, a, r, s2))

    def sample(self, n):
        s, a, r, s2 = zip(*random.sample(self.data, n))
        return torch.stack(s), torch.stack(a), torch.tensor(r), torch.stack(s2)


class Dynamics(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 16), nn.SiLU(), nn.Linear(16, 4))

    def forward(self, s, a):
        return s + self.net(torch.cat([s, a], -1))


def main():
    torch.manual_seed(109)
    random.seed(109)
    env, buf, model = PointMass(), Replay(), Dynamics()
    s = env.reset()
    for _ in range(12):
        a = torch.randn(2)
        s2, r = env.step(a)
        buf.add(s, a, r, s2)
        s = s2
    s, a, _, s2 = buf.sample(8)
    nn.functional.mse_loss(model(s, a), s2).backward()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
