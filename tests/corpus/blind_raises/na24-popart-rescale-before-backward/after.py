import torch
from torch import nn


class PopArt(nn.Module):
    def __init__(self, features, beta=0.1):
        super().__init__()
        self.linear = nn.Linear(features, 1)
        self.beta = beta
        self.register_buffer("mu", torch.zeros(1))
        self.register_buffer("nu", torch.ones(1))

    @property
    def sigma(self):
        return (self.nu - self.mu ** 2).clamp(min=1e-4).sqrt()

    def forward(self, h):
        return self.linear(h)

    @torch.no_grad()
    def update(self, targets):
        old_mu, old_sigma = self.mu.clone(), self.sigma.clone()
        self.mu.lerp_(targets.mean(), self.beta)
        self.nu.lerp_(targets.square().mean(), self.beta)
        ratio = old_sigma / self.sigma
        self.linear.weight.mul_(ratio)
        self.linear.bias.mul_(old_sigma).add_(old_mu - self.mu).div_(self.sigma)

    def normalise(self, targets):
        return (targets - self.mu) / self.sigma


class ValueNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.torso = nn.Sequential(nn.Linear(4, 8), nn.SiLU())
        self.head = PopArt(8)

    def forward(self, obs):
        return self.head(self.torso(obs)).squeeze(-1)


class Learner:
    def __init__(self, net, lr=1e-2):
        self.net = net
        self.opt = torch.optim.SGD(net.parameters(), lr=lr)

    def step(self, obs, returns):
        self.net.head.update(returns)
        value = self.net(obs)
        loss = (value - self.net.head.normalise(returns)).square().mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.detach()


def main():
    torch.manual_seed(0)
    learner = Learner(ValueNet())
    losses = [learner.step(torch.randn(5, 4), 10 * torch.rand(5)) for _ in range(2)]
    return {"losses": torch.stack(losses), **{n: p.grad for n, p in learner.net.named_parameters()}}


if __name__ == "__main__":
    main()
