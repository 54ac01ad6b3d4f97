import math

import torch
from torch import nn
import torch.nn.functional as F


class NoisyLinear(nn.Module):
    def __init__(self, d_in, d_out, std=0.5):
        super().__init__()
        self.d_in, self.d_out, self.std = d_in, d_out, std
        self.weight_mu, self.weight_sigma = nn.Parameter(torch.empty(d_out, d_in)), nn.Parameter(torch.empty(d_out, d_in))
        self.register_buffer("weight_epsilon", torch.empty(d_out, d_in))
        self.reset_parameters()
        self.reset_noise()

    def reset_parameters(self):
        mu_range = 1 / math.sqrt(self.d_in)
        self.weight_mu.data.uniform_(-mu_range, mu_range)
        self.weight_sigma.data.fill_(self.std / math.sqrt(self.d_in))

    @staticmethod
    def _scale(size):
        x = torch.randn(size)
        return x.sign().mul_(x.abs().sqrt_())

    def reset_noise(self):
        eps_in, eps_out = self._scale(self.d_in), self._scale(self.d_out)
        self.weight_epsilon.copy_(eps_out.outer(eps_in))

    def forward(self, x):
        return F.linear(x, self.weight_mu + self.weight_sigma * self.weight_epsilon)


def main():
    torch.manual_seed(405)
    net = nn.Sequential(NoisyLinear(3, 5), nn.ReLU(), NoisyLinear(5, 2))
    opt = torch.optim.Adam(net.parameters(), lr=0.01)
    for _ in range(3):
        loss = F.smooth_l1_loss(net(torch.randn(4, 3)), torch.randn(4, 2))
        opt.zero_grad()
        loss.backward()
        opt.step()
        for m in net:
            if hasattr(m, "reset_noise"):
                m.reset_noise()
    return {"sigma": net[0].weight_sigma, "mu": net[2].weight_mu}


if __name__ == "__main__":
    main()
