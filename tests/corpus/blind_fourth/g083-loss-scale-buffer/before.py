import torch
import torch.nn as nn


class WarmKL(nn.Module):
    def __init__(self, total):
        super().__init__()
        self.register_buffer("beta", torch.zeros(()))
        self.total = total

    def tick(self):
        self.beta += 1 / self.total

    def forward(self, mu, logvar):
        kl = -0.5 * (1 + logvar - mu.square() - logvar.exp()).sum(1).mean()
        weighted = self.beta * kl
        if self.training:
            self.tick()
        return weighted


class VAE(nn.Module):
    def __init__(self, n, z):
        super().__init__()
        self.enc, self.dec, self.kl = nn.Linear(n, 2 * z), nn.Linear(z, n), WarmKL(4)

    def forward(self, x):
        mu, logvar = self.enc(x).chunk(2, 1)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return (self.dec(z) - x).square().mean() + self.kl(mu, logvar)


def main():
    torch.manual_seed(92)
    vae = VAE(5, 2)
    opt = torch.optim.SGD(vae.parameters(), lr=0.05)
    for x in torch.randn(3, 8, 5):
        opt.zero_grad()
        loss = vae(x)
        loss.backward()
        opt.step()
    return {"enc": vae.enc.weight.grad, "beta": vae.kl.beta}


if __name__ == "__main__":
    main()
