import torch
from torch import nn


class RoundSTE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w, step):
        ctx.save_for_backward(w)
        return (w / step).round() * step

    @staticmethod
    def backward(ctx, grad):
        w, = ctx.saved_tensors
        return grad.masked_fill(w.abs() > 1, 0), None


class QuantLinear(nn.Linear):
    def forward(self, x):
        return nn.functional.linear(x, RoundSTE.apply(self.weight, 0.25), self.bias)


def main():
    torch.manual_seed(65)
    net = nn.Sequential(QuantLinear(4, 6), nn.PReLU(), QuantLinear(6, 2))
    nn.init.uniform_(net[0].weight, -1.5, 1.5)
    net(torch.randn(5, 4)).logsumexp(1).sum().backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
