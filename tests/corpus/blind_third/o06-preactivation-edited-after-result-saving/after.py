import torch
import torch.nn as nn
import torch.nn.functional as F


class MixtureHead(nn.Module):
    """Gate, mixture weights and scale from the same raw projection."""

    def __init__(self, d, k):
        super().__init__()
        self.raw = nn.Linear(d, k)
        self.mu = nn.Linear(d, k)

    def forward(self, x, y):
        r = self.raw(x)
        gate = torch.sigmoid(r)
        r = r - 0.5
        mix = F.softmax(r, dim=-1)
        r = (r * 0.25).clamp(-2.0, 2.0)
        std = r.exp()
        r = r + gate
        mu = self.mu(x)
        logp = -0.5 * ((y[:, None] - mu) / (std + 1e-3)).pow(2) - (std + 1e-3).log()
        ll = torch.logsumexp(logp + (mix + 1e-9).log(), dim=-1)
        return -ll.mean() + 0.01 * r.abs().mean()


def main():
    torch.manual_seed(206)
    body, head = nn.Sequential(nn.Linear(3, 10), nn.Tanh()), MixtureHead(10, 4)
    x = torch.randn(12, 3)
    y = x.sum(-1) + 0.1 * torch.randn(12)
    head(body(x), y).backward()
    return {n: p.grad for n, p in [*body.named_parameters(), *head.named_parameters()]}


if __name__ == "__main__":
    main()
