import torch
from torch import nn


class RotaryCache(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim
        self.register_buffer("table", torch.empty(0, dim // 2, 2), persistent=False)

    def grow(self, length):
        inv = 1.0 / 10 ** (torch.arange(0, self.dim, 2) / self.dim)
        angle = torch.arange(length)[:, None] * inv
        table = torch.empty(length, self.dim // 2, 2)
        torch.cos(angle, out=table[..., 0])
        table[..., 1] = angle.sin()
        self.table = table

    def forward(self, x):
        if x.size(1) > len(self.table):
            self.grow(x.size(1))
        c, s = self.table[: x.size(1)].unbind(-1)
        a, b = x.unflatten(-1, (-1, 2)).unbind(-1)
        return torch.stack((a * c - b * s, a * s + b * c), -1).flatten(-2)


def main():
    torch.manual_seed(75)
    rope, key = RotaryCache(4), nn.Linear(4, 4)
    loss = sum(rope(key(torch.randn(2, n, 4))).tanh().sum() for n in (3, 6, 4))
    loss.backward()
    return {"weight": key.weight.grad, "bias": key.bias.grad}


if __name__ == "__main__":
    main()
