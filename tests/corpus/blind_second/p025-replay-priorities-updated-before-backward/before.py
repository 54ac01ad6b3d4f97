import numpy as np
import torch
import torch.nn as nn


class PrioritisedReplay:
    def __init__(self, capacity, obs, rng):
        self.obs = rng.standard_normal((capacity, obs)).astype(np.float32)
        self.target = rng.standard_normal(capacity).astype(np.float32)
        self.weight = np.ones(capacity, dtype=np.float32)

    def block(self, start, size):
        span = slice(start, start + size)
        return span, *(torch.from_numpy(a[span]) for a in (self.obs, self.target, self.weight))

    def update(self, span, errors):
        priority = np.abs(errors) + 1e-3
        self.weight[span] = (priority / priority.max()) ** -0.4


class Critic(nn.Module):
    def __init__(self, obs):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs, 12), nn.ReLU(), nn.Linear(12, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


def learn(critic, opt, replay, start):
    span, obs, target, weight = replay.block(start, 8)
    delta = target - critic(obs)
    loss = (weight * delta.pow(2)).mean()
    replay.update(span, delta.detach().numpy())
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.detach()


def main():
    torch.manual_seed(27)
    replay = PrioritisedReplay(32, 4, np.random.default_rng(27))
    critic = Critic(4)
    opt = torch.optim.SGD(critic.parameters(), lr=0.05)
    losses = [learn(critic, opt, replay, 0) for _ in range(2)]
    return {"losses": torch.stack(losses), **{n: p.grad for n, p in critic.named_parameters()}}


if __name__ == "__main__":
    main()
