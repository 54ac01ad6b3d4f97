import torch
import torch.nn as nn
import torch.nn.functional as F


class Critic(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(dim, 12),
            nn.BatchNorm1d(12, momentum=0.8),
            nn.LeakyReLU(0.2),
            nn.Linear(12, 1),
        )

    def forward(self, x):
        return self.net(x).squeeze(1)


class GanSystem:
    def __init__(self, noise, dim):
        self.gen = nn.Sequential(nn.Linear(noise, 10), nn.Tanh(), nn.Linear(10, dim))
        self.critic = Critic(dim)
        self.noise = noise

    def generator_loss(self, fake):
        self.critic.eval()
        return F.softplus(-self.critic(fake)).mean()

    def critic_loss(self, fake, real):
        self.critic.train()
        return F.softplus(-self.critic(real)).mean() + F.softplus(self.critic(fake.detach())).mean()

    def train_step(self, real):
        fake = self.gen(torch.randn(real.size(0), self.noise))
        g_loss = self.generator_loss(fake)
        d_loss = self.critic_loss(fake, real)
        g_loss.backward()
        g_grads = [p.grad.clone() for p in self.gen.parameters()]
        self.critic.zero_grad()
        d_loss.backward()
        return g_grads


def main():
    torch.manual_seed(21)
    system = GanSystem(4, 6)
    grads = system.train_step(torch.randn(8, 6) * 4 + 3)
    return {f"g{i}": g for i, g in enumerate(grads)}


if __name__ == "__main__":
    main()
