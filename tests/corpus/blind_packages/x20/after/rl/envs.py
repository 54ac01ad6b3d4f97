import torch


class BanditVec:
    obs_dim = 3
    n_act = 2

    def __init__(self, n):
        self.n = n
        self.clock = torch.zeros(n, dtype=torch.long)

    def _obs(self):
        obs = torch.zeros(self.n, self.obs_dim)
        obs[torch.arange(self.n), self.clock % self.obs_dim] = 1
        return obs

    def reset(self):
        self.clock.copy_(torch.arange(self.n))
        return self._obs()

    def step(self, act):
        self.clock += 1
        rew = (act == self.clock % 2).to(torch.get_default_dtype())
        done = self.clock % 3 == 0
        return self._obs(), rew, done
