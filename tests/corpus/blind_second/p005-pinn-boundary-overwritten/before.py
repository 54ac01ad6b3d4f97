import torch
import torch.nn as nn


class HeatRod(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inp = nn.Linear(2, width)
        self.mid = nn.Linear(width, width)
        self.out = nn.Linear(width, 1)
        self.alpha = nn.Parameter(torch.tensor(0.3))

    def field(self, xt):
        h = torch.tanh(self.inp(xt))
        h = torch.tanh(self.mid(h))
        u = self.out(h)
        edge = (xt[:, :1] <= 0.0) | (xt[:, :1] >= 1.0)
        u.data[edge] = 0.0
        return u

    def residual(self, xt):
        xt = xt.clone().requires_grad_(True)
        u = self.field(xt)
        du = torch.autograd.grad(u.sum(), xt, create_graph=True)[0]
        d2x = torch.autograd.grad(du[:, 0].sum(), xt, create_graph=True)[0][:, 0]
        return du[:, 1] - self.alpha * d2x, u


def main():
    torch.manual_seed(5)
    net = HeatRod(10)
    x = torch.linspace(0, 1, 6)
    points = torch.stack([x.repeat(3), torch.rand(18)], dim=1)
    res, u = net.residual(points)
    start = torch.sin(torch.pi * points[:, :1])
    loss = res.pow(2).mean() + (u - start - 0.2).pow(2).mean()
    loss.backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
