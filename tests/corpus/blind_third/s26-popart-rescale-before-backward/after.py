import torch
import torch.nn as nn


class PopArt(nn.Module):
    """Value head with adaptive output normalisation."""

    def __init__(self, d, beta=0.2):
        super().__init__()
        self.lin = nn.Linear(d, 1)
        self.register_buffer("mu", torch.zeros(1))
        self.register_buffer("nu", torch.ones(1))
        self.beta = beta

    @property
    def sigma(self):
        return (self.nu - self.mu ** 2).clamp(min=1e-4).sqrt()

    def forward(self, x):
        return self.lin(x).squeeze(-1)

    def update_stats(self, returns):
        old_mu, old_sigma = self.mu.clone(), self.sigma.clone()
        self.mu.lerp_(returns.mean().view(1), self.beta)
        self.nu.lerp_(returns.pow(2).mean().view(1), self.beta)
        self.lin.weight.data.mul_(old_sigma / self.sigma)
        self.lin.bias.data.mul_(old_sigma).add_(old_mu - self.mu).div_(self.sigma)


def main():
    torch.manual_seed(126)
    trunk, head = nn.Sequential(nn.Linear(4, 10), nn.Tanh()), PopArt(10)
    opt = torch.optim.RMSprop([*trunk.parameters(), *head.parameters()], lr=1e-3)
    for _ in range(2):
        obs, ret = torch.randn(12, 4), 5 + 10 * torch.randn(12)
        target = (ret - head.mu) / head.sigma
        loss = (head(trunk(obs)) - target).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        head.update_stats(ret)
    return {n: p.grad for n, p in [*trunk.named_parameters(), *head.named_parameters()]}


if __name__ == "__main__":
    main()
