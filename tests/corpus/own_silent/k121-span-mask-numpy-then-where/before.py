import numpy as np
import torch
from torch import nn


def span_mask(shape, prob, length, seed):
    rng = np.random.default_rng(seed)
    mask = np.full(shape, False)
    for row in mask:
        starts = rng.choice(shape[1] - length, max(1, int(prob * shape[1] / length)), replace=False)
        row[(starts[:, None] + np.arange(length)).ravel()] = True
    return mask


class Pretrainer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.inp, self.mask_emb, self.out = nn.Linear(2, dim), nn.Parameter(torch.empty(dim).uniform_()), nn.Linear(dim, 2)

    def forward(self, x, mask):
        h = self.inp(x)
        h[mask] = self.mask_emb
        return self.out(h.clone().relu_())


def main():
    torch.manual_seed(205)
    net = Pretrainer(5)
    x = torch.randn(3, 8, 2)
    mask = torch.from_numpy(span_mask((3, 8), 0.5, 2, 4))
    pred = net(x, mask)
    (pred - x)[mask].abs().mean().backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
