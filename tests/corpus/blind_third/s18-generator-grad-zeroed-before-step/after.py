import torch
import torch.nn as nn


class CycleTrainer:
    def __init__(self):
        self.G = nn.Sequential(nn.Linear(3, 12), nn.LeakyReLU(0.2), nn.Linear(12, 5))
        self.D = nn.Sequential(nn.Linear(5, 12), nn.LeakyReLU(0.2), nn.Linear(12, 1))
        self.opt_g = torch.optim.SGD(self.G.parameters(), lr=0.1)
        self.opt_d = torch.optim.SGD(self.D.parameters(), lr=0.1)
        self.bce = nn.BCEWithLogitsLoss()

    def d_step(self, real, z):
        fake = self.G(z).detach()
        self.opt_d.zero_grad()
        loss = self.bce(self.D(real), torch.ones(len(real), 1)) + self.bce(self.D(fake), torch.zeros(len(z), 1))
        loss.backward()
        self.opt_d.step()
        return loss.item()

    def g_step(self, z):
        self.opt_g.zero_grad()
        for p in self.D.parameters():
            p.requires_grad_(False)
        loss = self.bce(self.D(self.G(z)), torch.ones(len(z), 1))
        loss.backward()
        self.opt_g.step()
        for p in self.D.parameters():
            p.requires_grad_(True)
        return loss.item()


def main():
    torch.manual_seed(118)
    tr = CycleTrainer()
    for _ in range(2):
        real, z = torch.randn(6, 5) + 1, torch.randn(6, 3)
        tr.d_step(real, z)
        tr.g_step(z)
    return {n: p.detach() for n, p in tr.G.named_parameters()}


if __name__ == "__main__":
    main()
