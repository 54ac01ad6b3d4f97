from itertools import chain
from typing import NamedTuple

import torch
import torch.nn as nn
from torch.distributions import Normal


class Rollout(NamedTuple):
    obs: torch.Tensor
    rewards: torch.Tensor


class ActorCritic(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(obs, 16), nn.ReLU(), nn.Linear(16, 16))
        self.mu = nn.Linear(16, act)
        self.log_std = nn.Parameter(torch.zeros(act))
        self.v = nn.Linear(16, 1)

    def forward(self, obs):
        h = torch.tanh(self.trunk(obs))
        return Normal(self.mu(h), self.log_std.exp()), self.v(h).squeeze(-1)


def discounted(rewards, gamma):
    total, out = torch.zeros(()), []
    for r in rewards.flip(0):
        total = r + gamma * total
        out.append(total)
    return torch.stack(out[::-1])


class A2C:
    def __init__(self, net):
        self.net = net
        self.critic_opt = torch.optim.RMSprop(chain(net.trunk.parameters(), net.v.parameters()), lr=1e-2)
        self.actor_opt = torch.optim.RMSprop(chain(net.trunk.parameters(), net.mu.parameters(), [net.log_std]), lr=1e-2)

    def learn(self, rollout):
        dist, value = self.net(rollout.obs)
        logp = dist.log_prob(dist.sample()).sum(-1)
        adv = discounted(rollout.rewards, 0.95) - value
        self.critic_opt.zero_grad()
        adv.pow(2).mean().backward(retain_graph=True)
        self.critic_opt.step()
        self.actor_opt.zero_grad()
        (-(logp * adv.detach()) * dist.entropy().sum(-1)).mean().backward()
        self.actor_opt.step()


def main():
    torch.manual_seed(49)
    agent = A2C(ActorCritic(4, 2))
    agent.learn(Rollout(torch.randn(7, 4), torch.randn(7)))
    return {n: p.detach() for n, p in agent.net.named_parameters()}


if __name__ == "__main__":
    main()
