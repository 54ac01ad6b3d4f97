from collections import defaultdict
from contextlib import contextmanager
import time

import torch
import torch.nn as nn


class SmoothedLog:
    def __init__(self, beta: float):
        self.beta = beta
        self.avg = defaultdict(lambda: torch.zeros(()))
        self.seconds = 0.0

    def update(self, **losses: torch.Tensor) -> None:
        for name, value in losses.items():
            snap = torch.tensor(value.item())
            self.avg[name] = self.avg[name] * self.beta + snap * (1 - self.beta)

    @contextmanager
    def timed(self):
        start = time.perf_counter()
        yield
        self.seconds += time.perf_counter() - start


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc, self.dec = nn.Linear(5, 3), nn.Linear(3, 5)

    def forward(self, x):
        z = self.enc(x)
        return self.dec(z), z


def main():
    torch.manual_seed(103)
    net, log = Pair(), SmoothedLog(0.7)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(4):
        x = torch.randn(6, 5)
        with log.timed():
            out, z = net(x)
            rec, reg = (out - x).square().mean(), z.abs().mean()
            log.update(rec=rec, reg=reg)
            opt.zero_grad()
            (rec + 0.1 * reg).backward()
            opt.step()
    return {**log.avg, **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
