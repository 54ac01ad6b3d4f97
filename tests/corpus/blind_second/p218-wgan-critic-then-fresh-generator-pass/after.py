import torch
import torch.nn as nn


class Clipped(nn.Module):
    def __init__(self, dim, bound):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(dim, 12), nn.LeakyReLU(0.2), nn.Linear(12, 1))
        self.bound = bound

    def forward(self, x):
        return self.score(x).mean()

    def clip(self):
        for p in self.parameters():
            p.data = p.data.clamp(-self.bound, self.bound)


class Wgan:
    def __init__(self, noise, dim, n_critic=2):
        self.gen = nn.Sequential(nn.Linear(noise, 10), nn.ReLU(), nn.Linear(10, dim))
        self.critic = Clipped(dim, 0.05)
        self.opt_g = torch.optim.RMSprop(self.gen.parameters(), lr=5e-3)
        self.opt_c = torch.optim.RMSprop(self.critic.parameters(), lr=5e-3)
        self.noise, self.n_critic = noise, n_critic

    def sample(self, n):
        return self.gen(torch.randn(n, self.noise))

    def train(self, real):
        for _ in range(self.n_critic):
            fake = self.sample(len(real)).detach()
            self.opt_c.zero_grad()
            (self.critic(fake) - self.critic(real)).backward()
            self.opt_c.step()
            self.critic.clip()
        self.opt_g.zero_grad()
        (-self.critic(self.sample(len(real)))).backward()
        self.opt_g.step()


def main():
    torch.manual_seed(98)
    gan = Wgan(3, 4)
    for _ in range(2):
        gan.train(torch.randn(6, 4) + 1)
    return {n: p.detach().clone() for n, p in gan.gen.named_parameters()}


if __name__ == "__main__":
    main()
