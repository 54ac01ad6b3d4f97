import contextlib

import torch
from torch import nn


class WeightAverager:
    def __init__(self, net, decay):
        self.net, self.decay = net, decay
        self.shadow = [p.detach().clone() for p in net.parameters()]

    @torch.no_grad()
    def update(self):
        for s, p in zip(self.shadow, self.net.parameters()):
            s.mul_(self.decay).add_(p, alpha=1 - self.decay)

    @contextlib.contextmanager
    def applied(self):
        backup = [p.detach().clone() for p in self.net.parameters()]
        with torch.no_grad():
            for p, s in zip(self.net.parameters(), self.shadow):
                p.copy_(s)
        try:
            yield self.net
        finally:
            with torch.no_grad():
                for p, b in zip(self.net.parameters(), backup):
                    p.copy_(b)


def main():
    torch.manual_seed(10)
    net = nn.Sequential(nn.Linear(3, 5), nn.GELU(), nn.Linear(5, 2))
    ema = WeightAverager(net, 0.9)
    ema.update()
    x, y = torch.randn(6, 3), torch.randint(0, 2, (6,))
    with ema.applied() as smooth:
        consistency = nn.functional.cross_entropy(smooth(x), y)
        (0.3 * consistency).backward()
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    return {n: p.grad.clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
