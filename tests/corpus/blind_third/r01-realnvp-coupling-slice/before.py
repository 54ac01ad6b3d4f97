import math
import torch
import torch.nn as nn


class Coupling(nn.Module):
    def __init__(self, dim, hidden=16):
        super().__init__()
        self.half = dim // 2
        self.net = nn.Sequential(nn.Linear(self.half, hidden), nn.Tanh(), nn.Linear(hidden, 2 * (dim - self.half)))

    def forward(self, z, log_det):
        x_a, x_b = z[:, : self.half], z[:, self.half :]
        log_s, t = self.net(x_a).chunk(2, dim=1)
        log_s = 2.0 * torch.tanh(log_s)
        z[:, self.half :] = x_b * torch.exp(log_s) + t
        log_det += log_s.sum(dim=1)
        return z, log_det


class RealNVP(nn.Module):
    def __init__(self, dim=4, depth=3):
        super().__init__()
        self.embed = nn.Linear(dim, dim)
        self.layers = nn.ModuleList(Coupling(dim) for _ in range(depth))

    def log_prob(self, x):
        z = self.embed(x)
        log_det = torch.linalg.slogdet(self.embed.weight)[1].repeat(x.shape[0])
        for layer in self.layers:
            z, log_det = layer(z, log_det)
            z = z.flip(1)
        prior = -0.5 * (z ** 2 + math.log(2 * math.pi)).sum(dim=1)
        return prior + log_det


def main():
    torch.manual_seed(11)
    flow = RealNVP()
    opt = torch.optim.Adam(flow.parameters(), lr=1e-3)
    x = torch.randn(12, 4)
    opt.zero_grad()
    nll = -flow.log_prob(x).mean()
    nll.backward()
    return {n: p.grad.clone() for n, p in flow.named_parameters()}


if __name__ == "__main__":
    main()
