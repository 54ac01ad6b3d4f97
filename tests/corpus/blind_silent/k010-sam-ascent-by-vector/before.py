import torch
import torch.nn as nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters


class SharpnessAware:
    def __init__(self, net: nn.Module, rho: float, lr: float):
        self.net, self.rho = net, rho
        self.opt = torch.optim.SGD(net.parameters(), lr=lr)
        self._home = None

    def climb(self, direction: torch.Tensor) -> None:
        self._home = parameters_to_vector(self.net.parameters()).detach()
        vector_to_parameters(self._home + self.rho * direction / direction.norm(), self.net.parameters())

    def descend(self) -> None:
        vector_to_parameters(self._home, self.net.parameters())
        self.opt.step()


def flat_grad(loss, net):
    grads = torch.autograd.grad(loss, list(net.parameters()), retain_graph=True)
    return torch.cat([g.reshape(-1) for g in grads])


def fit(net, x, y, steps=2):
    sam = SharpnessAware(net, rho=0.4, lr=0.1)
    mse = nn.MSELoss()
    for _ in range(steps):
        sam.opt.zero_grad()
        clean = mse(net(x), y)
        sam.climb(flat_grad(clean, net))
        sharp = mse(net(x), y)
        (0.5 * clean + 0.5 * sharp).backward()
        sam.descend()
    return net


def main():
    torch.manual_seed(23)
    net = nn.Sequential(nn.Conv1d(2, 4, 3), nn.Softplus(), nn.Conv1d(4, 1, 3))
    x = torch.randn(5, 2, 9)
    fit(net, x, x[:, :1, 2:-2] * x[:, 1:, 2:-2])
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
