import torch


class InplaceLeaky(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, slope):
        ctx.slope = slope
        ctx.mark_dirty(x)
        x.mul_(torch.where(x >= 0, 1.0, slope))
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        g = grad.clone()
        g[y < 0] *= ctx.slope
        return g, None


def inplace_leaky(x, slope=0.01):
    return InplaceLeaky.apply(x, slope)
