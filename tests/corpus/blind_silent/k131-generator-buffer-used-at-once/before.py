from typing import Iterator, List

import torch
import torch.nn as nn


class Packed:
    def __init__(self, rows: List[torch.Tensor], size: int):
        self.rows, self.size = rows, size
        self.out = torch.empty(size, rows[0].numel())

    def __iter__(self) -> Iterator[torch.Tensor]:
        for start in range(0, len(self.rows) - self.size + 1, self.size):
            torch.stack(self.rows[start:start + self.size], out=self.out)
            yield self.out


class GradAccumulator:
    def __init__(self, net, every):
        self.net, self.every, self.seen = net, every, 0
        self.opt = torch.optim.SGD(net.parameters(), lr=0.05)

    def __call__(self, batch):
        x, y = batch[:, :-1], batch[:, -1:]
        (nn.functional.mse_loss(self.net(x), y) / self.every).backward()
        self.seen += 1
        if self.seen % self.every == 0:
            self.opt.step()
            self.opt.zero_grad()


def main():
    torch.manual_seed(137)
    net = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1))
    consume = GradAccumulator(net, every=2)
    for batch in Packed(list(torch.randn(32, 4)), size=4):
        consume(batch)
    return {n: p.detach().clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
