import torch
import torch.nn as nn
import torch.nn.functional as F


def jitter(x, strength=0.4):
    scale = 1 + strength * (torch.rand(x.shape[0], 1) - 0.5)
    return x.mul_(scale).add_(0.1 * torch.randn_like(x))


def drop(x, p=0.2):
    keep = torch.rand_like(x) > p
    return x * keep


def info_nce(a, b, tau=0.2):
    a, b = F.normalize(a, dim=1), F.normalize(b, dim=1)
    return F.cross_entropy(a @ b.t() / tau, torch.arange(len(a)))


def main():
    torch.manual_seed(11)
    enc = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    data = torch.randn(24, 8)
    opt = torch.optim.SGD(enc.parameters(), lr=0.05)
    for epoch in range(2):
        for batch in data.split(8):
            v1 = drop(jitter(batch))
            v2 = drop(jitter(batch))
            loss = info_nce(enc(v1), enc(v2))
            opt.zero_grad()
            loss.backward()
            opt.step()
    return {"w": enc[0].weight.detach(), "loss": loss.detach()}


if __name__ == "__main__":
    main()
