from types import SimpleNamespace

import torch
import torch.nn as nn


def mlp(*sizes):
    layers = []
    for a, b in zip(sizes, sizes[1:]):
        layers += [nn.Linear(a, b), nn.Tanh()]
    return nn.Sequential(*layers[:-1])


class DDPG:
    def __init__(self, obs: int, act: int):
        self.actor = mlp(obs, 8, act)
        self.critic = mlp(obs + act, 8, 1)
        self.target = mlp(obs + act, 8, 1).requires_grad_(False)
        self.target.load_state_dict(self.critic.state_dict())
        self.opts = {
            "actor": torch.optim.Adam(self.actor.parameters(), lr=0.02, fused=True),
            "critic": torch.optim.Adam(self.critic.parameters(), lr=0.05, fused=True),
        }

    def losses(self, batch):
        q = self.critic(torch.cat([batch.obs, batch.act], 1))
        with torch.no_grad():
            nxt = self.target(torch.cat([batch.next_obs, self.actor(batch.next_obs)], 1))
        td = (q - (batch.rew + 0.9 * nxt)).square().mean()
        policy = -self.critic(torch.cat([batch.obs, self.actor(batch.obs)], 1)).mean()
        return {"critic": td, "actor": policy}

    def apply(self, name, loss):
        opt = self.opts[name]
        opt.zero_grad()
        loss.backward()
        opt.step()

    def update(self, batch):
        losses = self.losses(batch)
        for name in ("critic", "actor"):
            self.apply(name, losses[name])
        return losses


def main():
    torch.manual_seed(43)
    agent = DDPG(3, 2)
    batch = SimpleNamespace(obs=torch.randn(16, 3), act=torch.rand(16, 2), rew=torch.randn(16, 1), next_obs=torch.randn(16, 3))
    agent.update(batch)
    return {n: p.grad.clone() for n, p in agent.actor.named_parameters()}


if __name__ == "__main__":
    main()
