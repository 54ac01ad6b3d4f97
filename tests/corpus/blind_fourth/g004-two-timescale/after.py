import torch
import torch.nn as nn
import torch.nn.functional as F


def mlp(i, o):
    return nn.Sequential(nn.Linear(i, 12), nn.LeakyReLU(0.2), nn.Linear(12, o))


def objectives(gen, critic, real, z):
    fake = gen(z)
    ones, zeros = torch.ones(len(z), 1), torch.zeros(len(z), 1)
    d = F.binary_cross_entropy_with_logits(critic(real), ones)
    d = d + F.binary_cross_entropy_with_logits(critic(fake.detach()), zeros)
    g = F.binary_cross_entropy_with_logits(critic(fake), ones)
    return d, g


def apply(opt, loss):
    opt.zero_grad()
    loss.backward()
    opt.step()


def main():
    torch.manual_seed(6)
    gen, critic = mlp(3, 2), mlp(2, 1)
    og = torch.optim.Adam(gen.parameters(), lr=1e-3)
    od = torch.optim.Adam(critic.parameters(), lr=1e-3)
    real, z = torch.randn(8, 2), torch.randn(8, 3)
    d, g = objectives(gen, critic, real, z)
    apply(od, d)
    _, g = objectives(gen, critic, real, z)
    apply(og, g)
    return {n: p.grad for n, p in gen.named_parameters()}


if __name__ == "__main__":
    main()
