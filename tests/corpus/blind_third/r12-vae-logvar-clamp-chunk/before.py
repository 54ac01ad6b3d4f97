import torch
from torch import nn
from torch.nn import functional as F


class ConvVAE(nn.Module):
    def __init__(self, latent=3):
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(1, 4, 3, stride=2, padding=1), nn.ReLU(inplace=True), nn.Flatten(), nn.Linear(4 * 16, 2 * latent))
        self.decoder = nn.Sequential(nn.Linear(latent, 64), nn.ReLU(inplace=True))

    def encode(self, x):
        mu, logvar = self.encoder(x).chunk(2, dim=1)
        logvar.clamp_(-8.0, 4.0)
        return mu, logvar

    def forward(self, x, eps):
        mu, logvar = self.encode(x)
        z = torch.exp(0.5 * logvar).mul_(eps).add_(mu) if not self.training else mu + eps * torch.exp(0.5 * logvar)
        rec = self.decoder(z).view_as(x)
        return rec, mu, logvar


def elbo(x, rec, mu, logvar, beta=0.5):
    rec_term = F.mse_loss(rec, x, reduction="sum") / x.shape[0]
    kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean()
    return rec_term + beta * kl


def main():
    torch.manual_seed(6)
    vae = ConvVAE()
    img, eps = torch.rand(4, 1, 8, 8), torch.randn(4, 3)
    loss = elbo(img, *vae(img, eps))
    loss.backward()
    return {n: p.grad.clone() for n, p in vae.named_parameters()}


if __name__ == "__main__":
    main()
