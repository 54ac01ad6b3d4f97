import math

import torch
import torch.nn as nn


class ScaledSine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, z, omega):
        ctx.inputs = (z, omega)
        return torch.sin(omega * z)

    @staticmethod
    def backward(ctx, grad):
        z, omega = ctx.inputs
        return grad * omega * torch.cos(omega * z), None


class SineLayer(nn.Module):
    def __init__(self, d_in, d_out, omega=4.0, first=False):
        super().__init__()
        self.lin = nn.Linear(d_in, d_out)
        self.omega = omega
        bound = 1 / d_in if first else math.sqrt(6 / d_in) / omega
        nn.init.uniform_(self.lin.weight, -bound, bound)

    def forward(self, x, shift=None):
        z = self.lin(x)
        base = ScaledSine.apply(z, self.omega)
        if shift is not None:
            z += shift
            return base + ScaledSine.apply(z, self.omega)
        return base


class ModulatedSiren(nn.Module):
    def __init__(self, coords=2, width=7, latent=3):
        super().__init__()
        self.first = SineLayer(coords, width, first=True)
        self.second = SineLayer(width, width)
        self.modulator = nn.Linear(latent, width)
        self.rgb = nn.Linear(width, 3)

    def forward(self, xy, code):
        shift = self.modulator(code)
        return self.rgb(self.second(self.first(xy, shift), shift))


def main():
    torch.manual_seed(61)
    net = ModulatedSiren()
    axis = torch.linspace(-1, 1, 4)
    xy = torch.cartesian_prod(axis, axis)
    out = net(xy, torch.randn(1, 3))
    (out - xy.sum(1, keepdim=True)).square().mean().backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
