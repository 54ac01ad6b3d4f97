import torch
from torch import nn


class Nesterov:
    def __init__(self, params, lr, mu):
        self.params, self.lr, self.mu = list(params), lr, mu
        self.buf = {}

    def zero_grad(self):
        for p in self.params:
            if p.grad is not None:
                p.grad.detach_()
                p.grad.zero_()

    @torch.no_grad()
    def step(self):
        for p in self.params:
            d = p.grad
            buf = self.buf.get(p)
            if buf is None:
                buf = self.buf[p] = torch.clone(d).detach()
            else:
                buf = self.buf[p] = self.mu * buf + d
            d = d.add(buf, alpha=self.mu)
            p.add_(d, alpha=-self.lr)


def main():
    torch.manual_seed(695)
    net = nn.Sequential(nn.Linear(2, 3), nn.Hardtanh(), nn.Linear(3, 1))
    opt = Nesterov(net.parameters(), 0.1, 0.9)
    x, y = torch.randn(6, 2), torch.randn(6, 1)
    for _ in range(4):
        opt.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        opt.step()
    return dict(net.named_parameters())


if __name__ == "__main__":
    main()
