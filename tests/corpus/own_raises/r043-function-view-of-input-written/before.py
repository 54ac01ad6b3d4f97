import torch
from torch import nn


class GradScaleFlat(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor, ctx.shape = factor, x.shape
        return x.view(x.shape[0], -1)

    @staticmethod
    def backward(ctx, grad):
        return (grad * ctx.factor).view(ctx.shape), None


class MultiTask(nn.Module):
    def __init__(self, tasks):
        super().__init__()
        self.trunk = nn.Conv2d(1, 2, 3)
        self.bias = nn.ParameterDict({t: nn.Parameter(torch.zeros(8)) for t in tasks})
        self.heads = nn.ModuleDict({t: nn.Linear(8, 1) for t in tasks})

    def forward(self, x, *, scale=0.5):
        feats = self.trunk(x)
        outs = {}
        for task, head in self.heads.items():
            flat = GradScaleFlat.apply(feats, scale)
            flat += self.bias[task]
            outs[task] = head(flat)
        return outs


def main():
    torch.manual_seed(49)
    net = MultiTask(["depth", "edge"])
    outs = net(torch.randn(3, 1, 4, 4))
    sum(o.pow(2).mean() for o in outs.values()).backward()
    return {n: p.grad.clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
