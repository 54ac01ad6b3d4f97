import torch
from torch import nn


class ProjectBox(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w, radius):
        ctx.save_for_backward(w.abs() <= radius)
        w.clamp_(-radius, radius)
        ctx.mark_dirty(w)
        return w

    @staticmethod
    def backward(ctx, grad):
        (inside,) = ctx.saved_tensors
        return grad * inside, None


class BoxLinear(nn.Module):
    def __init__(self, din, dout, radius=0.2):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(dout, din))
        self.radius = radius

    def forward(self, x):
        return nn.functional.linear(x, ProjectBox.apply(self.weight, self.radius))


def main():
    torch.manual_seed(48)
    layer = BoxLinear(4, 3)
    layer(torch.randn(6, 4)).square().mean().backward()
    return {"weight": layer.weight.grad.clone()}


if __name__ == "__main__":
    main()
