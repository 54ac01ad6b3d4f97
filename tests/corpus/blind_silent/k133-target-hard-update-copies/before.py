import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class Twin(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q = nn.ModuleList(nn.Sequential(nn.Linear(d, 6), nn.ReLU(inplace=True), nn.Linear(6, 1)) for _ in range(2))

    def forward(self, sa):
        return [f(sa).squeeze(1) for f in self.q]


class TD3:
    def __init__(self, obs, act, tau=0.2, noise=0.1):
        self.actor = nn.Sequential(nn.Linear(obs, 6), nn.Tanh(), nn.Linear(6, act), nn.Tanh())
        self.critic = Twin(obs + act)
        self.actor_target, self.critic_target = copy.deepcopy(self.actor), copy.deepcopy(self.critic)
        self.opt = torch.optim.Adam(self.critic.parameters(), lr=0.02)
        self.tau, self.noise = tau, noise

    def soft_update(self):
        for net, target in ((self.actor, self.actor_target), (self.critic, self.critic_target)):
            for p, tp in zip(net.parameters(), target.parameters()):
                tp.data.copy_(self.tau * p.data + (1 - self.tau) * tp.data)

    def train(self, s, a, r, s2):
        with torch.no_grad():
            eps = torch.randn_like(a).mul_(self.noise).clamp_(-0.2, 0.2)
            a2 = self.actor_target(s2).add_(eps).clamp_(-1, 1)
            target = r + 0.9 * torch.minimum(*self.critic_target(torch.cat([s2, a2], 1)))
        q1, q2 = self.critic(torch.cat([s, a], 1))
        loss = F.mse_loss(q1, target) + F.mse_loss(q2, target)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.soft_update()


def main():
    torch.manual_seed(149)
    agent = TD3(3, 2)
    for _ in range(3):
        agent.train(torch.randn(8, 3), torch.rand(8, 2), torch.randn(8), torch.randn(8, 3))
    return {n: p.detach().clone() for n, p in agent.critic_target.named_parameters()}


if __name__ == "__main__":
    main()
