import numpy as np
import torch
from torch import nn


class VectorEnv:
    def __init__(self, n, seed):
        self.rng = np.random.default_rng(seed)
        self.obs = np.zeros((n, 3), dtype=np.float32)

    def reset(self):
        self.obs[:] = self.rng.normal(size=self.obs.shape)
        return self.obs

    def step(self, action):
        self.obs[:, 0] += action
        self.obs[:, 1:] = self.rng.normal(size=(len(self.obs), 2))
        return self.obs, -np.abs(self.obs[:, 0])


def main():
    torch.manual_seed(111)
    env, policy = VectorEnv(5, 0), nn.Linear(3, 2)
    obs = torch.from_numpy(env.reset())
    logp = policy(obs).log_softmax(dim=-1)
    action = logp.argmax(dim=-1)
    _, reward = env.step(action.numpy())
    picked = logp.gather(1, action[:, None]).squeeze(1)
    (-(picked * torch.from_numpy(reward)).mean()).backward()
    return {"weight": policy.weight.grad, "bias": policy.bias.grad}


if __name__ == "__main__":
    main()
