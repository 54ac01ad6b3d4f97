import torch
from torch import nn
from torch.autograd import Function
from torch.autograd.function import FunctionCtx


class ClipGradient(Function):
    @staticmethod
    def forward(ctx: FunctionCtx, x: torch.Tensor, limit: float, scale: float):
        ctx.limit, ctx.scale = limit, scale
        return x.view_as(x)

    @staticmethod
    def backward(ctx: FunctionCtx, grad: torch.Tensor):
        return grad.clamp(-ctx.limit, ctx.limit) * ctx.scale, None, None


def clip_gradient(x, limit=0.01, scale=1.0):
    return ClipGradient.apply(x, limit, scale)


class GateInit:
    def __init__(self, forget_bias=1.0):
        self.forget_bias = forget_bias

    def __call__(self, linear, dim):
        zeros = torch.zeros(dim)
        linear.bias = nn.Parameter(torch.cat([zeros, zeros + self.forget_bias, zeros]))
        return linear


class ClippedRNN(nn.Module):
    def __init__(self, din, dim, limit=0.02):
        super().__init__()
        self.dim, self.limit = dim, limit
        self.gates = GateInit()(nn.Linear(din + dim, 3 * dim), dim)

    def forward(self, seq):
        h = seq.new_zeros(seq.shape[1], self.dim)
        for x in seq:
            u, f, o = self.gates(torch.cat([x, h], dim=1)).split(self.dim, dim=1)
            h = torch.sigmoid(f) * h + (1 - torch.sigmoid(f)) * torch.tanh(u)
            h = clip_gradient(h * torch.sigmoid(o), self.limit)
        return h


def main():
    torch.manual_seed(0)
    rnn, head = ClippedRNN(3, 4), nn.Linear(4, 2)
    logits = head(rnn(torch.randn(6, 5, 3)))
    nn.functional.cross_entropy(logits, torch.tensor([0, 1, 1, 0, 1]), reduction="sum").backward()
    return {**{n: p.grad for n, p in rnn.named_parameters()}, "head": head.weight.grad}


if __name__ == "__main__":
    main()
