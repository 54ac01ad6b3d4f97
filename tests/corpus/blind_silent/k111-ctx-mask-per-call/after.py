import torch
import torch.nn as nn
from torch.autograd import Function


class ChannelDrop(Function):
    @staticmethod
    def forward(ctx, x, keep, gen):
        mask = x.new_empty(x.size(0), x.size(1), 1, 1)
        mask = torch.empty_like(mask).bernoulli_(keep, generator=gen) / keep
        ctx.mask, ctx.shape = mask, x.shape
        return x * mask

    @staticmethod
    def backward(ctx, grad):
        return (grad * ctx.mask).view(ctx.shape), None, None


class DropChannels(nn.Module):
    def __init__(self, p, seed):
        super().__init__()
        self.keep = 1.0 - p
        self.gen = torch.Generator().manual_seed(seed)

    def forward(self, x):
        if not self.training or self.keep == 1.0:
            return x
        return ChannelDrop.apply(x, self.keep, self.gen)


def stage(c_in, c_out, seed):
    return nn.Sequential(nn.Conv2d(c_in, c_out, 3, padding=1), DropChannels(0.3, seed), nn.ELU())


def main():
    torch.manual_seed(41)
    net = nn.Sequential(stage(1, 4, 0), stage(4, 4, 1), nn.Flatten(), nn.Linear(64, 1))
    net(torch.randn(3, 1, 4, 4)).square().mean().backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
