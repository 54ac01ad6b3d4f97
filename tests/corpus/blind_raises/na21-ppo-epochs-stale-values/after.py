from dataclasses import dataclass, field

import torch
from torch import nn, Tensor
from torch.distributions import Categorical


@dataclass
class Rollout:
    obs: list = field(default_factory=list)
    actions: list = field(default_factory=list)
    logps: list = field(default_factory=list)
    rewards: list = field(default_factory=list)

    def add(self, **items: Tensor):
        for key, value in items.items():
            getattr(self, key).append(value)

    def tensors(self):
        return (torch.stack(x) for x in (self.obs, self.actions, self.logps, self.rewards))


class ActorCritic(nn.Module):
    def __init__(self, obs_dim, actions):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(obs_dim, 8), nn.Tanh(), nn.Linear(8, actions))
        self.v = nn.Sequential(nn.Linear(obs_dim, 8), nn.Tanh(), nn.Linear(8, 1))

    def dist(self, obs):
        return Categorical(logits=self.pi(obs))

    def value(self, obs):
        return self.v(obs).squeeze(-1)


def discounted(rewards, gamma=0.9):
    out, acc = [], torch.zeros(())
    for r in rewards.flip(0):
        acc = r + gamma * acc
        out.insert(0, acc)
    return torch.stack(out)


def ppo_update(agent, optim, rollout, epochs=2, clip=0.2):
    obs, actions, old_logps, rewards = rollout.tensors()
    returns = discounted(rewards)
    advantages = (returns - agent.value(obs)).detach()
    for _ in range(epochs):
        ratio = (agent.dist(obs).log_prob(actions) - old_logps).exp()
        surrogate = torch.min(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages)
        loss = -surrogate.mean() + 0.5 * (returns - agent.value(obs)).square().mean()
        optim.zero_grad()
        loss.backward()
        optim.step()


def main():
    torch.manual_seed(5)
    agent, rollout = ActorCritic(3, 2), Rollout()
    for _ in range(5):
        obs = torch.randn(3)
        with torch.no_grad():
            dist = agent.dist(obs)
            act = dist.sample()
        rollout.add(obs=obs, actions=act, logps=dist.log_prob(act), rewards=torch.rand(()))
    ppo_update(agent, torch.optim.Adam(agent.parameters(), lr=1e-2), rollout)
    return {n: p.detach() for n, p in agent.named_parameters()}


if __name__ == "__main__":
    main()
