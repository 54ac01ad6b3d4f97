import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def orthogonal(dim: int) -> torch.Tensor:
    w = torch.empty(dim, dim)
    nn.init.orthogonal_(w, gain=math.sqrt(2))
    return w


class Mixing(nn.Module):
    def __init__(self, weight: torch.Tensor):
        super().__init__()
        self.weight = nn.Parameter(weight)
        self.bias = nn.Parameter(weight.new_zeros(weight.size(0)))

    def forward(self, x):
        return F.relu(F.linear(x, self.weight, self.bias))


class Flow(nn.Module):
    """All layers start from the same orthogonal matrix."""

    def __init__(self, dim: int, depth: int):
        super().__init__()
        start = orthogonal(dim)
        self.layers = nn.ModuleList([Mixing(start.clone()) for _ in range(depth)])
        self.readout = nn.Linear(dim, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.readout(x)


def train(net, x, y, epochs):
    opt = torch.optim.AdamW(net.parameters(), lr=0.05, weight_decay=0.0)
    for _ in range(epochs):
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()


def main():
    torch.manual_seed(211)
    net = Flow(4, depth=3)
    x = torch.randn(12, 4)
    train(net, x, x.amax(1, keepdim=True), epochs=3)
    return {n: p.detach().clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
