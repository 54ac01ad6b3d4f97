from dataclasses import dataclass, field
from typing import List

import torch
import torch.nn as nn


@dataclass
class NoiseScale:
    """Simple gradient noise scale from partial sums (McCandlish et al. 2018)."""

    partial: List[List[torch.Tensor]] = field(default_factory=list)

    def snapshot(self, net: nn.Module) -> None:
        self.partial.append([p.grad for p in net.parameters()])

    def per_micro_batch(self):
        previous = None
        for current in self.partial:
            yield [c if previous is None else c - b for b, c in zip(previous or current, current)]
            previous = current

    def compute(self) -> torch.Tensor:
        flat = torch.stack([torch.cat([g.flatten() for g in gs]) for gs in self.per_micro_batch()])
        return flat.var(dim=0).sum() / flat.mean(dim=0).square().sum()


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 3))

    def forward(self, x):
        return self.f(x)


def accumulate(net, batches, meter):
    net.zero_grad()
    for x, y in batches:
        loss = nn.functional.cross_entropy(net(x), y) / len(batches)
        loss.backward()
        meter.snapshot(net)
    return meter.compute()


def main():
    torch.manual_seed(271)
    net = Tagger()
    batches = [(torch.randn(5, 4), torch.randint(0, 3, (5,))) for _ in range(4)]
    scale = accumulate(net, batches, NoiseScale())
    return {"scale": scale, **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
