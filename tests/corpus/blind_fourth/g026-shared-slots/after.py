import numpy as np
import torch
import torch.nn as nn


class Drift:
    def __init__(self, n, seed=0):
        self.rng = np.random.default_rng(seed)
        self.obs = np.zeros(n, dtype=np.float32)

    def reset(self):
        self.obs[:] = self.rng.normal(size=self.obs.shape)
        return self.obs

    def step(self, push):
        self.obs += 0.3 * push + 0.1 * self.rng.normal(size=self.obs.shape)
        return self.obs, -float((self.obs ** 2).sum())


def episode(env, policy, horizon=5):
    logps, rewards = [], []
    obs = env.reset()
    for _ in range(horizon):
        dist = torch.distributions.Bernoulli(logits=policy(torch.tensor(obs)))
        a = dist.sample()
        logps.append(dist.log_prob(a).sum())
        obs, r = env.step(a.item() * 2 - 1)
        rewards.append(r)
    return torch.stack(logps), torch.tensor(rewards)


def main():
    torch.manual_seed(28)
    policy = nn.Linear(3, 1)
    logps, rewards = episode(Drift(3), policy)
    togo = rewards.flip(0).cumsum(0).flip(0)
    (-(logps * togo).mean()).backward()
    return {"w": policy.weight.grad}


if __name__ == "__main__":
    main()
