import random

import torch
import torch.nn as nn


class SpanHider:
    def __init__(self, width, seed):
        self.width, self.rng = width, random.Random(seed)

    def __call__(self, series):
        start = self.rng.randint(0, series.size(1) - self.width)
        span = slice(start, start + self.width)
        target = series[:, span].clone()
        series[:, span] = 0.0
        return series, target, span


class Imputer(nn.Module):
    def __init__(self, channels, hidden):
        super().__init__()
        self.fwd = nn.GRU(channels, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, channels)

    def forward(self, series):
        return self.out(self.fwd(series)[0])


def pretrain(model, loader, hide):
    total = 0.0
    for series in loader:
        hidden, target, span = hide(series)
        total = total + nn.functional.l1_loss(model(hidden)[:, span], target)
    return total / len(loader)


def vitals(n, steps):
    t = torch.linspace(0, 6, steps)
    phase = torch.rand(n, 1)
    return torch.stack([torch.sin(t + phase), 1.5 + torch.cos(2 * t + phase)], dim=-1)


def main():
    torch.manual_seed(34)
    model = Imputer(2, 5)
    loss = pretrain(model, [vitals(3, 12) for _ in range(2)], SpanHider(4, seed=1))
    loss.backward()
    return {"loss": loss.detach(), **{n: p.grad for n, p in model.named_parameters()}}


if __name__ == "__main__":
    main()
