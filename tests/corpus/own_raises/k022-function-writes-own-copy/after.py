import torch
from torch import nn


class HardShrinkSTE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lam):
        out = x.clone()
        small = out.abs() < lam
        out[small] = 0.0
        ctx.save_for_backward(small)
        return out

    @staticmethod
    def backward(ctx, grad):
        (small,) = ctx.saved_tensors
        scale = torch.ones_like(grad)
        scale[small] = 0.25
        return scale.mul_(grad), None


class SparseCode(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.enc, self.dec = nn.Linear(d, 2 * d), nn.Linear(2 * d, d)

    def forward(self, x):
        code = HardShrinkSTE.apply(torch.tanh(self.enc(x)), 0.2)
        return self.dec(code + 0.01)


def main():
    torch.manual_seed(21)
    net, x = SparseCode(3), torch.randn(6, 3)
    (net(x) - x).square().mean().backward()
    return {n: p.grad.clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
