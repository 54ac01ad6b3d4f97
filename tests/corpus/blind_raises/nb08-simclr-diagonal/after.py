import torch
from torch import nn
import torch.nn.functional as F


class TwoViews:
    def __init__(self, *transforms):
        self.transforms = transforms

    def __call__(self, x):
        return torch.stack([t(x) for t in self.transforms])


def jitter(scale):
    def apply(x):
        return x + scale * torch.randn_like(x)

    return apply


class ProjectionHead(nn.Sequential):
    def __init__(self, dim, hidden, out):
        super().__init__(nn.Linear(dim, hidden), nn.BatchNorm1d(hidden), nn.ReLU(), nn.Linear(hidden, out))


class NTXent(nn.Module):
    def __init__(self, temperature=0.5):
        super().__init__()
        self.temperature = temperature

    def forward(self, za, zb):
        z = F.normalize(torch.cat([za, zb]), dim=1)
        sim = z @ z.t()
        sim = sim / self.temperature
        sim = sim.masked_fill(torch.eye(len(sim), dtype=torch.bool), float("-inf"))
        n = len(za)
        target = torch.arange(2 * n).roll(n)
        return F.cross_entropy(sim, target)


class SimCLR(nn.Module):
    def __init__(self, din=5, dim=6):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(din, dim), nn.Mish(), nn.Linear(dim, dim))
        self.head = ProjectionHead(dim, 8, 4)

    def forward(self, x):
        return self.head(self.encoder(x))


def pretrain(model, criterion, data, augment):
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in data:
        a, b = augment(batch)
        opt.zero_grad()
        criterion(model(a), model(b)).backward()
        opt.step()


def main():
    torch.manual_seed(0)
    model = SimCLR()
    pretrain(model, NTXent(), [torch.randn(4, 5) for _ in range(2)], TwoViews(jitter(0.1), jitter(0.2)))
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
