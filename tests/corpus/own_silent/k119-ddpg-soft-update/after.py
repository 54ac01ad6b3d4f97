import torch
from torch import nn


def soft_update(local, target, tau):
    for t, l in zip(target.parameters(), local.parameters()):
        t.data = tau * l.data + (1.0 - tau) * t.data


class Agent:
    def __init__(self):
        build = lambda i: nn.Sequential(nn.Linear(i, 5), nn.ReLU(), nn.Linear(5, 1))
        self.actor, self.actor_target = build(3), build(3)
        self.critic, self.critic_target = build(4), build(4)
        for a, b in ((self.actor, self.actor_target), (self.critic, self.critic_target)):
            b.load_state_dict(a.state_dict())
        self.actor_opt = torch.optim.Adam(self.actor.parameters(), lr=0.05)
        self.critic_opt = torch.optim.Adam(self.critic.parameters(), lr=0.05)

    def learn(self, s, a, r, s2, gamma=0.9):
        target = r + gamma * self.critic_target(torch.cat((s2, self.actor_target(s2)), 1))
        critic_loss = nn.functional.mse_loss(self.critic(torch.cat((s, a), 1)), target.detach())
        self.critic_opt.zero_grad()
        critic_loss.backward()
        torch.nn.utils.clip_grad_value_(self.critic.parameters(), 0.5)
        self.critic_opt.step()
        actor_loss = -self.critic(torch.cat((s, self.actor(s)), 1)).mean()
        self.actor_opt.zero_grad()
        actor_loss.backward()
        self.actor_opt.step()
        soft_update(self.critic, self.critic_target, 0.1)
        soft_update(self.actor, self.actor_target, 0.1)


def main():
    torch.manual_seed(185)
    agent = Agent()
    for _ in range(3):
        agent.learn(torch.randn(6, 3), torch.randn(6, 1), torch.randn(6, 1), torch.randn(6, 3))
    return {"actor": agent.actor[0].weight, "target": agent.critic_target[0].weight}


if __name__ == "__main__":
    main()
