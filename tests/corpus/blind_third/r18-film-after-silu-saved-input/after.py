import torch
import torch.nn as nn
import torch.nn.functional as F


class FiLM(nn.Module):
    """Feature-wise affine conditioning."""

    def __init__(self, cond, ch):
        super().__init__()
        self.to_scale, self.to_shift = nn.Linear(cond, ch), nn.Linear(cond, ch)

    def forward(self, fmap, c):
        scale, shift = self.to_scale(c)[..., None, None], self.to_shift(c)[..., None, None]
        return fmap.mul(1 + scale).add_(shift)


class CondBlock(nn.Module):
    def __init__(self, ch, cond):
        super().__init__()
        self.conv1 = nn.Conv2d(ch, ch, 3, padding=1)
        self.norm = nn.GroupNorm(2, ch)
        self.branch = nn.Conv2d(ch, ch, 1)
        self.film = FiLM(cond, ch)

    def forward(self, x, c):
        h = self.norm(self.conv1(x))
        side = self.branch(F.silu(h))
        main = self.film(h, c)
        return x + side + main


def main():
    torch.manual_seed(27)
    stages = nn.ModuleList([CondBlock(4, 3), CondBlock(4, 3)])
    x, c = torch.randn(2, 4, 5, 5), torch.randn(2, 3)
    for stage in stages:
        x = stage(x, c)
    x.square().mean().backward()
    return {n: p.grad.clone() for n, p in stages.named_parameters()}


if __name__ == "__main__":
    main()
