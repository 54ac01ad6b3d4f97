import torch
import torch.nn as nn


class CubicGate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return x ** 3 / 3

    @staticmethod
    def backward(ctx, g):
        return g * ctx.x ** 2


class Cell(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.inp = nn.Linear(n, n)
        self.out = nn.Linear(n, 1)

    def forward(self, x):
        h = self.inp(x)
        y = CubicGate.apply(h)
        bounded = h.clamp_(-0.4, 0.4)
        return self.out(y + bounded)


def main():
    torch.manual_seed(30)
    cell = Cell(4)
    cell(torch.randn(6, 4)).sum().backward()
    return {"inp": cell.inp.weight.grad, "out": cell.out.weight.grad}


if __name__ == "__main__":
    main()
