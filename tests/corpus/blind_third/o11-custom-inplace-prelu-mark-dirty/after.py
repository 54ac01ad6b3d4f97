import torch
import torch.nn as nn


class InplacePReLU(torch.autograd.Function):
    """Leaky ReLU with a fixed slope that overwrites its input."""

    @staticmethod
    def forward(ctx, x, slope):
        neg = x < 0
        ctx.slope = slope
        ctx.save_for_backward(neg)
        return x * torch.where(neg, slope, 1.0)

    @staticmethod
    def backward(ctx, g):
        (neg,) = ctx.saved_tensors
        gx = g.clone()
        gx[neg] *= ctx.slope
        return gx, None


class TCNBlock(nn.Module):
    def __init__(self, ch, dilation):
        super().__init__()
        self.conv = nn.Conv1d(ch, ch, 3, padding=dilation, dilation=dilation)
        self.mix = nn.Conv1d(ch, ch, 1)

    def forward(self, x):
        return x + self.mix(InplacePReLU.apply(self.conv(x), 0.1))


def main():
    torch.manual_seed(211)
    net = nn.Sequential(nn.Conv1d(1, 4, 1), TCNBlock(4, 1), TCNBlock(4, 2), nn.Conv1d(4, 1, 1))
    x = torch.randn(3, 1, 10)
    nn.functional.l1_loss(net(x)[..., :-1], x[..., 1:]).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
