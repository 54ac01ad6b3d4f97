import torch
import torch.nn.functional as F
from torch import nn


class DCGAN:
    def __init__(self):
        self.G = nn.Sequential(nn.Linear(2, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 3), nn.Tanh())
        self.D = nn.Sequential(nn.Linear(3, 4), nn.LeakyReLU(0.2), nn.Linear(4, 1))
        self.optG = torch.optim.Adam(self.G.parameters(), 0.02, betas=(0.5, 0.999))
        self.optD = torch.optim.Adam(self.D.parameters(), 0.02, betas=(0.5, 0.999))

    def train_step(self, real, noise):
        label = torch.full((len(real), 1), 1.0)
        self.D.zero_grad()
        errD_real = F.binary_cross_entropy_with_logits(self.D(real), label)
        errD_real.backward()
        fake = self.G(noise)
        label = torch.zeros_like(label)
        errD_fake = F.binary_cross_entropy_with_logits(self.D(fake.detach()), label)
        errD_fake.backward()
        self.optD.step()
        self.G.zero_grad()
        label = torch.ones_like(label)
        errG = F.binary_cross_entropy_with_logits(self.D(fake), label)
        errG.backward()
        self.optG.step()


def main():
    torch.manual_seed(365)
    gan = DCGAN()
    for _ in range(2):
        gan.train_step(torch.randn(6, 3), torch.randn(6, 2))
    return {"G": gan.G[0].weight, "D": gan.D[0].weight, "g": gan.G[3].weight.grad}


if __name__ == "__main__":
    main()
