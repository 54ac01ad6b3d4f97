import torch
import torch.nn as nn


def langevin(energy, x, steps=4, size=0.1):
    x = x.detach().clone().requires_grad_(True)
    for _ in range(steps):
        g, = torch.autograd.grad(energy(x).sum(), x)
        with torch.no_grad():
            x.add_(g, alpha=-size)
            x += 0.01 * torch.randn_like(x)
    return x.detach()


class Energy(nn.Module):
    def __init__(self):
        super().__init__()
        self.h = nn.Linear(2, 12)
        self.o = nn.Linear(12, 1)

    def forward(self, x):
        return self.o(torch.nn.functional.softplus(self.h(x))).squeeze(1) + 0.1 * x.square().sum(1)


def main():
    torch.manual_seed(36)
    net = Energy()
    data = torch.randn(10, 2) + 1
    neg = langevin(net, torch.randn(10, 2))
    loss = net(data).mean() - net(neg).mean()
    loss.backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
