import torch
import torch.nn as nn


class WassersteinTrainer:
    limit = 0.05

    def __init__(self):
        self.f = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
        self.g = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2))
        self.of = torch.optim.RMSprop(self.f.parameters(), lr=5e-4)
        self.og = torch.optim.RMSprop(self.g.parameters(), lr=5e-4)

    def critic_round(self, real):
        fake = self.g(torch.randn_like(real)).detach()
        self.of.zero_grad()
        gap = self.f(fake).mean() - self.f(real).mean()
        gap.backward()
        self.of.step()
        for p in self.f.parameters():
            p.data.clamp_(-self.limit, self.limit)
        return gap.detach()

    def generator_round(self, n):
        self.og.zero_grad()
        loss = -self.f(self.g(torch.randn(n, 2))).mean()
        loss.backward()
        self.og.step()
        return loss.detach()


def main():
    torch.manual_seed(33)
    t = WassersteinTrainer()
    log = []
    for _ in range(3):
        for _ in range(2):
            log.append(t.critic_round(torch.randn(8, 2) + 2))
        log.append(t.generator_round(8))
    return {"log": torch.stack(log), "g": t.g[0].weight.grad}


if __name__ == "__main__":
    main()
