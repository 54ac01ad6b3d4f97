import torch
from torch import nn


class EnergyNet(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.a = nn.Parameter(torch.randn(dim, dim) * 0.3)

    def forward(self, x):
        return 0.25 * (x @ self.a).pow(4).sum(1) + 0.5 * x.pow(2).sum(1)


def sample(energy, x, steps, eta):
    x = x.clone().requires_grad_()
    for _ in range(steps):
        e = energy(x).sum()
        x.data.add_(torch.randn_like(x), alpha=(2 * eta) ** 0.5)
        force, = torch.autograd.grad(e, x)
        x.data.sub_(eta * force)
    return x.detach()


def main():
    torch.manual_seed(7)
    energy = EnergyNet(3)
    particles = sample(energy, torch.randn(6, 3), steps=4, eta=0.05)
    return {"particles": particles, "energy": energy(particles)}


if __name__ == "__main__":
    main()
