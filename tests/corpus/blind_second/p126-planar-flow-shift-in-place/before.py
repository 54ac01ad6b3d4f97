import torch
import torch.nn as nn
from torch.distributions import MultivariateNormal


class PlanarLayer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.w = nn.Parameter(torch.randn(dim) * 0.3)
        self.u = nn.Parameter(torch.randn(dim) * 0.3)
        self.b = nn.Parameter(torch.zeros(()))

    def u_hat(self):
        wu = self.w @ self.u
        return self.u + (nn.functional.softplus(wu) - 1 - wu) * self.w / self.w.pow(2).sum()

    def forward(self, z):
        lin = z @ self.w + self.b
        u = self.u_hat()
        z += torch.tanh(lin).unsqueeze(-1) * u
        psi = (1 - torch.tanh(lin) ** 2).unsqueeze(-1) * self.w
        return z, torch.log((1 + psi @ u).abs() + 1e-6)


class Flow(nn.Module):
    def __init__(self, dim, depth):
        super().__init__()
        self.layers = nn.ModuleList(PlanarLayer(dim) for _ in range(depth))
        self.base = MultivariateNormal(torch.zeros(dim), torch.eye(dim))

    def sample(self, n):
        z = self.base.sample((n,))
        logq = self.base.log_prob(z)
        for layer in self.layers:
            z, logdet = layer(z)
            logq = logq - logdet
        return z, logq


def ring_energy(z):
    return 0.5 * ((z.norm(dim=1) - 2) / 0.4) ** 2


def main():
    torch.manual_seed(66)
    flow = Flow(2, 3)
    z, logq = flow.sample(12)
    (logq + ring_energy(z)).mean().backward()
    return {n: p.grad for n, p in flow.named_parameters()}


if __name__ == "__main__":
    main()
