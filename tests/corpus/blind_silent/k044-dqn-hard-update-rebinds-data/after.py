from typing import NamedTuple

import torch
import torch.nn as nn


class Batch(NamedTuple):
    obs: torch.Tensor
    action: torch.Tensor
    reward: torch.Tensor
    next_obs: torch.Tensor


def hard_update(target: nn.Module, source: nn.Module) -> None:
    for tp, p in zip(target.parameters(), source.parameters()):
        tp.data.copy_(p.data)


class Agent:
    def __init__(self, obs_dim: int, actions: int, sync_every: int):
        build = lambda: nn.Sequential(nn.Linear(obs_dim, 10), nn.Tanh(), nn.Linear(10, actions))  # noqa: E731
        self.online, self.target = build(), build()
        self.target.requires_grad_(False)
        self.opt = torch.optim.RMSprop(self.online.parameters(), lr=0.01)
        self.sync_every, self.updates = sync_every, 0
        hard_update(self.target, self.online)

    def bootstrap(self, batch: Batch) -> torch.Tensor:
        best = self.online(batch.next_obs).argmax(1, keepdim=True)
        return batch.reward + 0.95 * self.target(batch.next_obs).gather(1, best).squeeze(1)

    def learn(self, batch: Batch) -> torch.Tensor:
        with torch.no_grad():
            goal = self.bootstrap(batch)
        q = self.online(batch.obs).gather(1, batch.action[:, None]).squeeze(1)
        self.opt.zero_grad()
        nn.functional.mse_loss(q, goal).backward()
        self.opt.step()
        self.updates += 1
        if self.updates % self.sync_every == 0:
            hard_update(self.target, self.online)
        return goal


def main():
    torch.manual_seed(199)
    agent = Agent(4, 3, sync_every=3)
    for _ in range(5):
        goal = agent.learn(Batch(torch.randn(8, 4), torch.randint(0, 3, (8,)), torch.randn(8), torch.randn(8, 4)))
    return {"goal": goal, **{n: p.detach().clone() for n, p in agent.online.named_parameters()}}


if __name__ == "__main__":
    main()
