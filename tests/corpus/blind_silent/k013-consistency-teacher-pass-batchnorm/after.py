from contextlib import contextmanager

import torch
import torch.nn as nn
import torch.nn.functional as F


@contextmanager
def evaluating(net: nn.Module):
    was = net.training
    net.eval()
    try:
        yield net
    finally:
        net.train(was)


class Embedder(nn.Module):
    def __init__(self, d_in: int, d: int):
        super().__init__()
        self.lift = nn.Linear(d_in, d)
        self.norm = nn.BatchNorm1d(d, momentum=0.5)
        self.out = nn.Linear(d, 3)

    def forward(self, x):
        return self.out(F.relu(self.norm(self.lift(x))))


class SemiSupervised:
    def __init__(self, net, weight=1.0):
        self.net, self.weight = net, weight

    def consistency(self, x):
        with evaluating(self.net) as net:
            p = net(x).softmax(1)
            q = net(x + 0.3 * torch.sin(7 * x)).log_softmax(1)
        return F.kl_div(q, p.detach(), reduction="batchmean")

    def step(self, labelled, unlabelled):
        x, y = labelled
        (self.weight * self.consistency(unlabelled)).backward()
        F.cross_entropy(self.net(x), y).backward()


def main():
    torch.manual_seed(47)
    net = Embedder(4, 6)
    x, y = 2 * torch.randn(10, 4) + 1, torch.randint(0, 3, (10,))
    SemiSupervised(net).step((x, y), torch.randn(14, 4))
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
