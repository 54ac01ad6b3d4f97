import torch
import torch.nn as nn
import torch.nn.functional as F


class LogCosh(torch.autograd.Function):
    """log(cosh(e)) without overflow."""

    @staticmethod
    def forward(ctx, err, scale):
        ctx.err, ctx.scale = err, scale
        z = err * scale
        return (z + F.softplus(-2.0 * z) - 0.6931472) / scale

    @staticmethod
    def backward(ctx, g):
        return g * torch.tanh(ctx.err * ctx.scale), None


class DepthNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 6, 3, padding=1), nn.ReLU(inplace=True), nn.Conv2d(6, 1, 3, padding=1))

    def forward(self, img):
        return self.body(img).squeeze(1)


def robust_depth_loss(pred, gt, keep=0.8):
    err = pred - gt
    per_pixel = LogCosh.apply(err, 2.0)
    rank = err.abs().flatten(1)
    k = int(keep * rank.shape[1])
    cut = rank.kthvalue(k, dim=1).values.detach()
    inlier = (rank.detach() <= cut[:, None]).float()
    return (per_pixel.flatten(1) * inlier).sum() / inlier.sum()


def main():
    torch.manual_seed(106)
    net = DepthNet()
    img, gt = torch.rand(2, 3, 6, 6), torch.randn(2, 6, 6)
    robust_depth_loss(net(img), gt).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
