import torch
import torch.nn as nn
import torch.nn.functional as F


class Generator(nn.Sequential):
    def __init__(self, z, d):
        super().__init__(nn.Linear(z, 8), nn.ReLU(True), nn.Linear(8, d))


class Discriminator(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(d, 8), nn.LeakyReLU(0.2, inplace=True), nn.Linear(8, 1))

    def forward(self, x):
        return self.f(x).squeeze(1)


class DCGAN:
    def __init__(self, z=2, d=3):
        self.z = z
        self.G, self.D = Generator(z, d), Discriminator(d)
        mk = lambda m: torch.optim.Adam(m.parameters(), lr=0.01, betas=(0.5, 0.999), fused=True)  # noqa: E731
        self.opt_g, self.opt_d = mk(self.G), mk(self.D)

    def step(self, real):
        fake = self.G(torch.randn(len(real), self.z))
        self.opt_d.zero_grad()
        for sample, label in ((real, 1.0), (fake.detach(), 0.0)):
            out = self.D(sample)
            F.binary_cross_entropy_with_logits(out, torch.full_like(out, label)).backward()
        self.opt_d.step()
        self.opt_g.zero_grad()
        out = self.D(fake)
        F.binary_cross_entropy_with_logits(out, torch.ones_like(out)).backward()
        self.opt_g.step()


def main():
    torch.manual_seed(29)
    gan = DCGAN()
    for _ in range(3):
        gan.step(torch.randn(6, 3) * 0.5 + 1)
    return {n: p.detach().clone() for n, p in gan.G.named_parameters()}


if __name__ == "__main__":
    main()
