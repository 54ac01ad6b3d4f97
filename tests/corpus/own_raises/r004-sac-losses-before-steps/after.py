from typing import NamedTuple

import torch
import torch.nn as nn
from torch import Tensor


class Losses(NamedTuple):
    critic: Tensor
    policy: Tensor


class Agent:
    def __init__(self, obs_dim, act_dim):
        self.policy = nn.Sequential(nn.Linear(obs_dim, 8), nn.ReLU(), nn.Linear(8, act_dim), nn.Tanh())
        self.critic = nn.Sequential(nn.Linear(obs_dim + act_dim, 8), nn.ReLU(), nn.Linear(8, 1))
        self.policy_optim = torch.optim.Adam(self.policy.parameters(), lr=3e-3)
        self.critic_optim = torch.optim.Adam(self.critic.parameters(), lr=3e-3)

    def q(self, obs, act):
        return self.critic(torch.cat([obs, act], dim=-1))

    def compute_losses(self, batch) -> Losses:
        obs, act, target = batch
        critic = (self.q(obs, act) - target).pow(2).mean()
        policy = -self.q(obs, self.policy(obs)).mean()
        return Losses(critic, policy)

    def learn(self, batch):
        losses = self.compute_losses(batch)
        self.critic_optim.zero_grad()
        losses.critic.backward()
        self.policy_optim.zero_grad()
        losses.policy.backward()
        self.critic_optim.step()
        self.policy_optim.step()


def main():
    torch.manual_seed(7)
    agent = Agent(3, 2)
    batch = (torch.randn(6, 3), torch.rand(6, 2) * 2 - 1, torch.randn(6, 1))
    agent.learn(batch)
    return {n: p.grad.clone() for n, p in agent.policy.named_parameters()}


if __name__ == "__main__":
    main()
