from typing import ClassVar, Dict

import torch
import torch.nn as nn


class MaskedSTE(torch.autograd.Function):
    """Sign in forward, clipped identity in backward, one scratch per shape."""

    scratch: ClassVar[Dict[torch.Size, torch.Tensor]] = {}

    @classmethod
    def buffer(cls, like: torch.Tensor) -> torch.Tensor:
        return cls.scratch.setdefault(like.shape, torch.empty_like(like))

    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x)
        ctx.scale = scale
        return torch.sign(x) * scale

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (x.abs() <= ctx.scale), None


class BinaryBlock(nn.Module):
    def __init__(self, dim, scales=(0.5, 1.0)):
        super().__init__()
        self.lin = nn.Linear(dim, dim)
        self.mix = nn.ModuleList(nn.Linear(dim, dim, bias=False) for _ in scales)
        self.scales = scales

    def forward(self, x):
        z = self.lin(x)
        return sum(m(MaskedSTE.apply(z, s)) for m, s in zip(self.mix, self.scales))


def main():
    torch.manual_seed(349)
    net = nn.Sequential(BinaryBlock(5), nn.Hardtanh(), nn.Linear(5, 1))
    net(torch.randn(7, 5)).square().mean().backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
