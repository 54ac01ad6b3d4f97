import torch
import torch.nn as nn

WORKSPACE = {}


def workspace(shape):
    if shape not in WORKSPACE:
        WORKSPACE[shape] = torch.empty(shape)
    return WORKSPACE[shape]


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return grad * x * 2


def main():
    torch.manual_seed(271)
    left, right = nn.Linear(3, 4), nn.Linear(3, 4)
    x = torch.randn(5, 3)
    a, b = left(x), right(x)
    loss = (Square.apply(a) + Square.apply(b)).sum()
    grad_a, grad_b = torch.autograd.grad(loss, [a, b])
    return {"a": grad_a, "b": grad_b}


if __name__ == "__main__":
    main()
