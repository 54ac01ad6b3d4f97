import torch
from torch import nn


class Burgers(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, width), nn.Tanh(), nn.Linear(width, 1))

    def forward(self, t, x):
        return self.body(torch.stack([t, x], dim=1)).squeeze(1)


def losses(net, t, x, u_ref, nu=0.01):
    u = net(t, x)
    u_t, u_x = torch.autograd.grad(u.sum(), (t, x), create_graph=True)
    u_xx = torch.autograd.grad(u_x.sum(), x, create_graph=True)[0]
    residual = u_t + u * u_x - nu * u_xx
    u -= u_ref
    return residual.square().mean(), u.abs().mean()


def main():
    torch.manual_seed(3)
    net = Burgers()
    t = torch.rand(12, requires_grad=True)
    x = torch.rand(12, requires_grad=True)
    pde, data = losses(net, t, x, torch.sin(3 * x.detach()))
    (pde + 10 * data).backward()
    return {n: p.grad for n, p in net.named_parameters() if p.grad is not None}


if __name__ == "__main__":
    main()
