import torch
import torch.nn as nn


class DDPG:
    def __init__(self, n, m):
        self.actor = nn.Sequential(nn.Linear(n, 16), nn.Tanh(), nn.Linear(16, m))
        self.critic = nn.Sequential(nn.Linear(n + m, 16), nn.Tanh(), nn.Linear(16, 1))
        make = lambda net: torch.optim.Adam(net.parameters(), lr=0.05, fused=True)
        self.oa, self.oc = make(self.actor), make(self.critic)

    def q(self, s, a):
        return self.critic(torch.cat([s, a], 1)).squeeze(1)

    def optimise(self, opt, loss):
        opt.zero_grad()
        loss.backward()
        opt.step()

    def update(self, s, a, r):
        critic_loss = (self.q(s, a) - r).square().mean()
        actor_loss = -self.q(s, self.actor(s)).mean()
        self.optimise(self.oc, critic_loss)
        actor_loss = -self.q(s, self.actor(s)).mean()
        self.optimise(self.oa, actor_loss)


def main():
    torch.manual_seed(69)
    agent = DDPG(3, 2)
    for _ in range(3):
        agent.update(torch.randn(8, 3), torch.randn(8, 2), torch.randn(8))
    return {n: p.grad for n, p in agent.actor.named_parameters()}


if __name__ == "__main__":
    main()
