import torch
import torch.nn as nn


def silence(grad: torch.Tensor, keep: torch.Tensor) -> torch.Tensor:
    drop = keep.logical_not().view(-1, *[1] * (grad.dim() - 1))
    return grad.masked_fill(drop, 0.0)


class StochasticDepth(torch.autograd.Function):
    @staticmethod
    def forward(ctx, branch, keep):
        ctx.save_for_backward(keep)
        return branch * keep.view(-1, *[1] * (branch.dim() - 1)).to(branch.dtype)

    @staticmethod
    def backward(ctx, grad):
        (keep,) = ctx.saved_tensors
        return silence(grad, keep), None


class Residual(nn.Module):
    def __init__(self, dim, rate, seed):
        super().__init__()
        self.branch = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim), nn.GELU())
        self.rate = rate
        self.gen = torch.Generator().manual_seed(seed)

    def forward(self, x):
        keep = torch.rand(x.size(0), generator=self.gen) >= self.rate
        return x + StochasticDepth.apply(self.branch(x), keep)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(3, 6)
        self.layers = nn.ModuleList(Residual(6, 0.25 * (i + 1), seed=i) for i in range(2))
        self.head = nn.Linear(6, 1)

    def forward(self, x):
        x = self.embed(x)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


def main():
    torch.manual_seed(79)
    net = Net()
    net(torch.randn(6, 3)).square().sum().backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
