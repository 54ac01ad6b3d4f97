from typing import NamedTuple

import torch
from torch import Tensor, nn


class Routing(NamedTuple):
    weights: Tensor
    load: Tensor


def capacity_mask(weights: Tensor, capacity: int) -> Tensor:
    order = weights.detach().argsort(dim=0, descending=True).argsort(dim=0)
    return order >= capacity


def drop_overflow(weights: Tensor, capacity: int) -> Tensor:
    return weights.masked_fill(capacity_mask(weights, capacity), 0.0)


class NoisyGate(nn.Module):
    def __init__(self, dim: int, experts: int, capacity: int):
        super().__init__()
        self.logits = nn.Linear(dim, experts, bias=False)
        self.noise = nn.Linear(dim, experts, bias=False)
        self.capacity = capacity

    def forward(self, x: Tensor) -> Routing:
        std = nn.functional.softplus(self.noise(x))
        noisy = self.logits(x) + torch.randn_like(std) * std
        probs = noisy.softmax(dim=-1)
        load = probs.mean(dim=0)
        return Routing(drop_overflow(probs, self.capacity), load)


class MixtureOfExperts(nn.Module):
    def __init__(self, dim: int, experts: int = 3):
        super().__init__()
        self.gate = NoisyGate(dim, experts, capacity=2)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(dim, dim), nn.GELU()) for _ in range(experts))

    def forward(self, x: Tensor):
        routing = self.gate(x)
        outputs = torch.stack([expert(x) for expert in self.experts], dim=1)
        mixed = torch.einsum("be,bed->bd", routing.weights, outputs)
        balance = len(self.experts) * (routing.load * routing.load).sum()
        return mixed, balance


def main():
    torch.manual_seed(0)
    moe = MixtureOfExperts(4)
    y, balance = moe(torch.randn(6, 4))
    (y.square().mean() + 0.01 * balance).backward()
    return {n: p.grad for n, p in moe.named_parameters()}


if __name__ == "__main__":
    main()
