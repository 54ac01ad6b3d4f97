import torch
import torch.nn as nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self, data, latent):
        super().__init__()
        self.body, self.stats = nn.Linear(data, 12), nn.Linear(12, 2 * latent)

    def forward(self, x):
        mu, logvar = self.stats(torch.relu(self.body(x))).chunk(2, dim=1)
        return mu + torch.randn_like(mu) * (0.5 * logvar).exp(), mu, logvar


def permute_dims(z):
    return torch.stack([col[torch.randperm(len(col))] for col in z.unbind(1)], dim=1)


class Solver:
    def __init__(self, data=8, latent=3, gamma=5.0):
        self.encoder, self.decoder = Encoder(data, latent), nn.Linear(latent, data)
        self.D = nn.Sequential(nn.Linear(latent, 10), nn.LeakyReLU(0.2), nn.Linear(10, 2))
        vae = [*self.encoder.parameters(), *self.decoder.parameters()]
        self.optim_vae = torch.optim.Adam(vae, lr=1e-2)
        self.optim_D = torch.optim.Adam(self.D.parameters(), lr=1e-2)
        self.gamma = gamma

    def step(self, x):
        z, mu, logvar = self.encoder(x)
        D_z = self.D(z)
        kld = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean()
        vae_loss = F.mse_loss(self.decoder(z), x) + kld + self.gamma * (D_z[:, 0] - D_z[:, 1]).mean()
        self.optim_vae.zero_grad()
        vae_loss.backward(retain_graph=True)
        self.optim_vae.step()

        real, perm = torch.zeros(len(x), dtype=torch.long), torch.ones(len(x), dtype=torch.long)
        D_perm = self.D(permute_dims(z.detach()))
        tc_loss = 0.5 * (F.cross_entropy(D_z, real) + F.cross_entropy(D_perm, perm))
        self.optim_D.zero_grad()
        tc_loss.backward()
        self.optim_D.step()
        return vae_loss.detach(), tc_loss.detach()


def main():
    torch.manual_seed(48)
    solver = Solver()
    vae_loss, tc_loss = solver.step(torch.randn(9, 8))
    return {"vae": vae_loss, "tc": tc_loss, **{n: p.detach() for n, p in solver.D.named_parameters()}}


if __name__ == "__main__":
    main()
