from functools import partial

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


def residual(layer, gate, h):
    return h + torch.tanh(layer(h)) * gate


class Gated(nn.Module):
    def __init__(self, dim, depth):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(dim, dim) for _ in range(depth))
        self.calls = 0

    def forward(self, x):
        gate = torch.full((x.size(-1),), 2.0)
        gate[0] = 1.0
        for layer in self.layers:
            x = checkpoint(partial(residual, layer, gate), x, use_reentrant=False)
            gate = gate * 0.5
            self.calls += 1
        return x + 1.0


def main():
    torch.manual_seed(605)
    net = Gated(3, 3)
    out = net(torch.randn(4, 3))
    out.square().mean().backward()
    return {"calls": torch.tensor(net.calls), **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
