import torch
from torch import nn, optim


class WGAN:
    def __init__(self, latent, data, clip=0.05):
        self.gen = nn.Sequential(nn.Linear(latent, 8), nn.ReLU(True), nn.Linear(8, data))
        self.critic = nn.Sequential(nn.Linear(data, 8), nn.LeakyReLU(0.2, True), nn.Linear(8, 1))
        self.latent, self.clip = latent, clip
        self.opt = {
            "g": optim.RMSprop(self.gen.parameters(), lr=5e-4),
            "c": optim.RMSprop(self.critic.parameters(), lr=5e-4),
        }

    def clip_critic(self):
        with torch.no_grad():
            for p in self.critic.parameters():
                p.clamp_(-self.clip, self.clip)

    def critic_step(self, real):
        fake = self.gen(torch.randn(len(real), self.latent)).detach()
        gap = self.critic(fake).mean() - self.critic(real).mean()
        self.clip_critic()
        self.opt["c"].zero_grad()
        gap.backward()
        self.opt["c"].step()
        return gap.item()


def main():
    torch.manual_seed(40)
    gan = WGAN(2, 3)
    for _ in range(2):
        gan.critic_step(torch.randn(5, 3))
    return {n: p.grad.clone() for n, p in gan.critic.named_parameters()}


if __name__ == "__main__":
    main()
