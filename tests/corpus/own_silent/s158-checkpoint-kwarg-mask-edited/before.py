import torch
import torch.nn as nn
from torch.utils import checkpoint as ckpt


class MaskedMixer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.value, self.score = nn.Linear(dim, dim), nn.Linear(dim, 1)

    def mix(self, x, keep=None):
        weight = self.score(x).sigmoid() * keep
        return torch.tanh(self.value(x)) * weight

    def forward(self, x, keep):
        return ckpt.checkpoint(self.mix, x, keep=keep, use_reentrant=False)


def refine(layers, x, lengths):
    keep = torch.ones(x.size(0), x.size(1), 1)
    for layer, length in zip(layers, lengths):
        keep[:, length:] = 0.2
        x = x + layer(x, keep)
    return x


def main():
    torch.manual_seed(541)
    layers = nn.ModuleList(MaskedMixer(3) for _ in range(3))
    out = refine(layers, torch.randn(2, 6, 3), (6, 4, 2))
    out.square().mean().backward()
    return {n: p.grad for n, p in layers.named_parameters()}


if __name__ == "__main__":
    main()
