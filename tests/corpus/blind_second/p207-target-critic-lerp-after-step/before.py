import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class QNetwork(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(obs + act, 12), nn.Linear(12, 1)

    def forward(self, obs, act):
        return self.fc2(F.relu(self.fc1(torch.cat([obs, act], dim=1)))).squeeze(1)


class DDPG:
    def __init__(self, obs, act, tau=0.05, gamma=0.9):
        self.actor = nn.Sequential(nn.Linear(obs, 8), nn.Tanh(), nn.Linear(8, act), nn.Tanh())
        self.q = QNetwork(obs, act)
        self.q_target = copy.deepcopy(self.q)
        self.tau, self.gamma = tau, gamma
        self.q_opt = torch.optim.Adam(self.q.parameters(), lr=1e-2)
        self.pi_opt = torch.optim.Adam(self.actor.parameters(), lr=1e-2)

    @torch.no_grad()
    def polyak(self):
        for target, online in zip(self.q_target.parameters(), self.q.parameters()):
            target.lerp_(online, self.tau)

    def update(self, obs, act, reward, nxt):
        with torch.no_grad():
            y = reward + self.gamma * self.q_target(nxt, self.actor(nxt))
        q_loss = F.mse_loss(self.q(obs, act), y)
        self.q_opt.zero_grad()
        q_loss.backward()
        self.q_opt.step()
        pi_loss = -self.q(obs, self.actor(obs)).mean()
        self.pi_opt.zero_grad()
        pi_loss.backward()
        self.pi_opt.step()
        self.polyak()


def main():
    torch.manual_seed(87)
    agent = DDPG(3, 2)
    for _ in range(2):
        agent.update(torch.randn(5, 3), torch.rand(5, 2), torch.randn(5), torch.randn(5, 3))
    return {n: p.detach().clone() for n, p in agent.q_target.named_parameters()}


if __name__ == "__main__":
    main()
