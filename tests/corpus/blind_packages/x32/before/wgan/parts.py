import torch
from torch import nn


class Generator(nn.Sequential):
    def __init__(self, zdim, hidden):
        super().__init__(nn.Linear(zdim, hidden), nn.ReLU(inplace=True), nn.Linear(hidden, 2))
        self.zdim = zdim

    def sample(self, n):
        return self(torch.randn(n, self.zdim))


def assemble(zdim, hidden):
    gen = Generator(zdim, hidden)
    critic = nn.Sequential(nn.Linear(2, hidden), nn.LeakyReLU(0.2, inplace=True), nn.Linear(hidden, 1))
    opt_g = torch.optim.RMSprop(gen.parameters(), lr=1e-3)
    opt_c = torch.optim.RMSprop(critic.parameters(), lr=1e-3)

    def data(n):
        return torch.randn(n, 2).mul_(0.2).sub_(1.0)

    return gen, critic, opt_g, opt_c, data
