import torch
from torch import nn


def adversarial_round(gen, disc, opts, real, noise, bce):
    opt_g, opt_d = opts
    fake = gen(noise)

    disc.zero_grad()
    d_real = bce(disc(real), torch.ones(len(real), 1))
    d_fake = bce(disc(fake.detach()), torch.zeros(len(real), 1))
    (d_real + d_fake).backward()
    opt_d.step()

    gen.zero_grad()
    g_loss = bce(disc(fake), torch.ones(len(real), 1))
    g_loss.backward()
    opt_g.step()
    return d_real.item() + d_fake.item(), g_loss.item()


def main():
    torch.manual_seed(9)
    gen = nn.Sequential(nn.Linear(2, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Linear(6, 3), nn.Tanh())
    disc = nn.Sequential(nn.Linear(3, 6), nn.LeakyReLU(0.2), nn.Linear(6, 1))
    opts = [torch.optim.Adam(m.parameters(), lr=2e-4, betas=(0.5, 0.999)) for m in (gen, disc)]
    for _ in range(2):
        adversarial_round(gen, disc, opts, torch.randn(4, 3), torch.randn(4, 2), nn.BCEWithLogitsLoss())
    return {n: p.grad.clone() for n, p in gen.named_parameters()}


if __name__ == "__main__":
    main()
