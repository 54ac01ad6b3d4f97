import torch
import torch.nn as nn


class SignSTE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sign()

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output.masked_fill_(x.abs() > 1, 0)


class BiRealBlock(nn.Module):
    """Sign activations with a real-valued identity around them."""

    def __init__(self, d):
        super().__init__()
        self.pre = nn.Linear(d, d)
        self.shift = nn.Parameter(torch.zeros(d))

    def forward(self, x):
        h = self.pre(x)
        return SignSTE.apply(h + self.shift) + h


def main():
    torch.manual_seed(107)
    net = nn.Sequential(nn.Linear(5, 6), BiRealBlock(6), BiRealBlock(6), nn.Linear(6, 2))
    x, y = 2 * torch.randn(9, 5), torch.randint(0, 2, (9,))
    nn.functional.cross_entropy(net(x), y).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
