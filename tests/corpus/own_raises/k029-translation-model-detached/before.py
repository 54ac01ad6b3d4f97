import torch
from torch import nn
from torch.nn import functional as F


def set_requires_grad(nets, flag):
    for net in nets:
        for p in net.parameters():
            p.requires_grad = flag


class Translator:
    def __init__(self, d_in, d_out, lr=2e-3):
        self.net_g = nn.Sequential(nn.Linear(d_in, 6), nn.ReLU(True), nn.Linear(6, d_out))
        self.net_d = nn.Sequential(nn.Linear(d_out, 6), nn.LeakyReLU(0.2, True), nn.Linear(6, 1))
        self.opt_g = torch.optim.Adam(self.net_g.parameters(), lr=lr)
        self.opt_d = torch.optim.Adam(self.net_d.parameters(), lr=lr)

    def forward(self, a):
        self.fake_b = self.net_g(a)

    def backward_d(self, real):
        self.loss_d = F.softplus(self.net_d(self.fake_b.detach())).mean() + F.softplus(-self.net_d(real)).mean()
        self.loss_d.backward()

    def backward_g(self, real):
        self.loss_g = F.softplus(-self.net_d(self.fake_b)).mean() + F.l1_loss(self.fake_b, real)
        self.loss_g.backward()

    def optimize_parameters(self, a, b):
        self.forward(a)
        set_requires_grad([self.net_d], True)
        self.opt_d.zero_grad()
        self.backward_d(b)
        self.opt_d.step()
        set_requires_grad([self.net_d], False)
        self.opt_g.zero_grad()
        self.backward_g(b)
        self.opt_g.step()


def main():
    torch.manual_seed(83)
    model = Translator(3, 2)
    for _ in range(2):
        model.optimize_parameters(torch.randn(5, 3), torch.randn(5, 2))
    return {n: p.grad.clone() for n, p in model.net_g.named_parameters()}


if __name__ == "__main__":
    main()
