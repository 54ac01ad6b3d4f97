import math

import torch
from torch import nn, Tensor


class Posterior:
    def __init__(self, loc: Tensor, scale: Tensor, scratch: Tensor):
        self.loc, self.scale, self.scratch = loc, scale, scratch

    def rsample(self) -> Tensor:
        eps = self.scratch[: len(self.loc)].normal_()
        return torch.addcmul(self.loc, self.scale, eps)

    def log_prob(self, z: Tensor) -> Tensor:
        return (-0.5 * ((z - self.loc) / self.scale).square() - self.scale.log()).sum(-1)


class IWAE(nn.Module):
    def __init__(self, data: int, latent: int, max_batch: int, k: int = 3):
        super().__init__()
        self.k = k
        self.enc = nn.Linear(data, 2 * latent)
        self.dec = nn.Linear(latent, data)
        self.register_buffer("scratch", torch.empty(max_batch, latent), persistent=False)

    def posterior(self, x: Tensor) -> Posterior:
        loc, raw = self.enc(x).chunk(2, dim=-1)
        return Posterior(loc, nn.functional.softplus(raw) + 1e-3, self.scratch)

    def log_weight(self, x: Tensor, q: Posterior) -> Tensor:
        z = q.rsample()
        prior = -0.5 * z.square().sum(-1)
        recon = -nn.functional.binary_cross_entropy_with_logits(self.dec(z), x, reduction="none").sum(-1)
        return recon + prior - q.log_prob(z)

    def forward(self, x: Tensor) -> Tensor:
        q = self.posterior(x)
        logw = torch.stack([self.log_weight(x, q) for _ in range(self.k)])
        return -(logw.logsumexp(dim=0) - math.log(self.k)).mean()


def main():
    torch.manual_seed(0)
    model = IWAE(data=5, latent=2, max_batch=8)
    model(torch.rand(4, 5).round()).backward()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
