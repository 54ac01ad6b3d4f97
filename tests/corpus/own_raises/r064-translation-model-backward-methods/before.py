import torch
from torch import nn
from torch.nn import functional as F


class Translator:
    def __init__(self, opt):
        self.net_g = nn.Sequential(nn.Linear(opt["in"], 6), nn.ReLU(), nn.Linear(6, opt["out"]))
        self.net_d = nn.Sequential(nn.Linear(opt["out"], 6), nn.LeakyReLU(0.2), nn.Linear(6, 1))
        self.optimizers = []
        for net in (self.net_g, self.net_d):
            self.optimizers.append(torch.optim.Adam(net.parameters(), lr=opt["lr"], betas=(0.5, 0.99)))

    def set_input(self, a, b):
        self.real_a, self.real_b = a, b

    def forward(self):
        self.fake_b = self.net_g(self.real_a)
        self.score_fake = self.net_d(self.fake_b)
        self.score_real = self.net_d(self.real_b)

    def backward_d(self):
        self.loss_d = F.softplus(self.score_fake).mean() + F.softplus(-self.score_real).mean()
        self.loss_d.backward(retain_graph=True)

    def backward_g(self):
        self.loss_g = F.softplus(-self.score_fake).mean() + 10 * F.l1_loss(self.fake_b, self.real_b)
        self.loss_g.backward()

    def optimize_parameters(self):
        opt_g, opt_d = self.optimizers
        self.forward()
        opt_d.zero_grad()
        self.backward_d()
        opt_d.step()
        opt_g.zero_grad()
        self.backward_g()
        opt_g.step()


def main():
    torch.manual_seed(73)
    model = Translator({"in": 3, "out": 2, "lr": 2e-3})
    model.set_input(torch.randn(5, 3), torch.randn(5, 2))
    model.optimize_parameters()
    return {n: p.grad.clone() for n, p in model.net_g.named_parameters()}


if __name__ == "__main__":
    main()
