import torch
from torch import nn


class IterNorm(nn.Module):
    def __init__(self, channels, groups=2, iterations=3, momentum=0.1, eps=1e-5):
        super().__init__()
        self.groups, self.iterations = groups, iterations
        self.momentum, self.eps = momentum, eps
        width = channels // groups
        self.weight = nn.Parameter(torch.ones(1, channels))
        self.bias = nn.Parameter(torch.zeros(1, channels))
        self.register_buffer("running_mean", torch.zeros(groups, width, 1))
        self.register_buffer("running_wm", torch.eye(width).expand(groups, width, width))

    def whiten(self, x):
        g, d, m = x.shape
        mean = x.mean(dim=-1, keepdim=True)
        xc = x - mean
        eye = torch.eye(d).expand(g, d, d)
        sigma = self.eps * eye + xc @ xc.transpose(1, 2) / m
        trace = sigma.diagonal(dim1=1, dim2=2).sum(-1).view(g, 1, 1)
        sigma_n = sigma / trace
        p = eye
        for _ in range(self.iterations):
            p = 1.5 * p - 0.5 * p @ p @ p @ sigma_n
        return p / trace.sqrt(), mean

    @torch.no_grad()
    def track(self, wm, mean):
        self.running_mean.mul_(1 - self.momentum).add_(self.momentum * mean)
        self.running_wm.mul_(1 - self.momentum).add_(self.momentum * wm)

    def forward(self, x):
        grouped = x.t().reshape(self.groups, -1, x.shape[0])
        if self.training:
            wm, mean = self.whiten(grouped)
            self.track(wm, mean)
        else:
            wm, mean = self.running_wm, self.running_mean
        y = (wm @ (grouped - mean)).reshape(x.shape[1], -1).t()
        return y * self.weight + self.bias


def main():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 6), IterNorm(6), nn.ReLU(), nn.Linear(6, 2))
    out = net(torch.randn(12, 3))
    out.square().mean().backward()
    return {"wm": net[1].running_wm, **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
