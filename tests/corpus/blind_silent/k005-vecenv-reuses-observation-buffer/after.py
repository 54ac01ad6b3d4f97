import numpy as np
import torch
import torch.nn as nn


class PointEnv:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.pos = self.rng.normal(size=3).astype(np.float32)

    def step(self, action):
        self.pos = 0.9 * self.pos + 0.1 * np.float32(action)
        return self.pos, -float(np.square(self.pos).sum())


class VecEnv:
    """Steps several environments, one observation row each."""

    def __init__(self, n: int):
        self.envs = [PointEnv(i) for i in range(n)]
        self.obs = np.zeros((n, 3), dtype=np.float32)

    def reset(self):
        for i, env in enumerate(self.envs):
            self.obs[i] = env.pos
        return self.obs.copy()

    def step(self, actions):
        rewards = np.zeros(len(self.envs), dtype=np.float32)
        for i, (env, a) in enumerate(zip(self.envs, actions)):
            self.obs[i], rewards[i] = env.step(a)
        return self.obs.copy(), rewards


def collect(policy, vec, horizon):
    states, rewards = [], []
    obs = torch.from_numpy(vec.reset())
    for _ in range(horizon):
        with torch.no_grad():
            act = policy(obs).argmax(1)
        states.append(obs)
        nxt, rew = vec.step(act.tolist())
        obs = torch.from_numpy(nxt)
        rewards.append(torch.from_numpy(rew))
    return torch.stack(states), torch.stack(rewards)


def main():
    torch.manual_seed(1)
    policy, value = nn.Linear(3, 2), nn.Linear(3, 1)
    states, rewards = collect(policy, VecEnv(4), horizon=5)
    returns = rewards.flip(0).cumsum(0).flip(0)
    (value(states).squeeze(-1) - returns).square().mean().backward()
    return {"states": states, "w": value.weight.grad, "b": value.bias.grad}


if __name__ == "__main__":
    main()
