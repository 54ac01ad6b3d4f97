import torch
import torch.nn as nn
import torch.nn.functional as F


class SharpnessAware:
    def __init__(self, params, rho):
        self.params = list(params)
        self.rho = rho
        self.moved = []

    def climb(self, grads):
        norm = torch.stack([g.norm() for g in grads]).norm()
        self.moved = [self.rho * g / (norm + 1e-12) for g in grads]
        for p, e in zip(self.params, self.moved):
            p.data.add_(e)

    def descend(self):
        for p, e in zip(self.params, self.moved):
            p.data.sub_(e)


def sharp_loss(net, sam, x, y):
    first = F.cross_entropy(net(x), y)
    sam.climb(torch.autograd.grad(first, sam.params))
    second = F.cross_entropy(net(x), y)
    sam.descend()
    return second


def main():
    torch.manual_seed(21)
    net = nn.Sequential(nn.Linear(3, 6), nn.Softplus(), nn.Linear(6, 3))
    sam = SharpnessAware(net.parameters(), rho=2.0)
    x, y = torch.randn(10, 3), torch.randint(0, 3, (10,))
    sharp_loss(net, sam, x, y).backward()
    return {name: p.grad for name, p in net.named_parameters()}


if __name__ == "__main__":
    main()
