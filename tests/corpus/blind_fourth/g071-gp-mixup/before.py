import torch
import torch.nn as nn


def penalty(critic, real, fake):
    alpha = torch.rand(real.size(0), 1)
    mid = real
    mid *= alpha
    mid = (mid + (1 - alpha) * fake).requires_grad_(True)
    g, = torch.autograd.grad(critic(mid).sum(), mid, create_graph=True)
    return (g.norm(2, dim=1) - 1).square().mean()


def critic_loss(critic, real, fake, weight=10.0):
    terms = {
        "gp": weight * penalty(critic, real, fake),
        "fake": critic(fake).mean(),
        "real": -critic(real).mean(),
    }
    return sum(terms.values())


def main():
    torch.manual_seed(80)
    critic = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
    gen = nn.Linear(3, 2)
    real = torch.randn(10, 2) * 2 + 4
    critic_loss(critic, real, gen(torch.randn(10, 3)).detach()).backward()
    return {n: p.grad for n, p in critic.named_parameters()}


if __name__ == "__main__":
    main()
