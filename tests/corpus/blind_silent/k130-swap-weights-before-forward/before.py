import contextlib
from typing import Iterable, List

import torch
import torch.nn as nn


class WeightAverage:
    def __init__(self, params: Iterable[nn.Parameter], decay: float):
        self.params = list(params)
        self.decay = decay
        self.shadow: List[torch.Tensor] = [p.detach().clone() for p in self.params]

    def update(self):
        one_minus = 1.0 - self.decay
        with torch.no_grad():
            for s, p in zip(self.shadow, self.params):
                s.sub_(one_minus * (s - p))

    @contextlib.contextmanager
    def average_parameters(self):
        stored = [p.clone() for p in self.params]
        for s, p in zip(self.shadow, self.params):
            p.data.copy_(s.data)
        try:
            yield
        finally:
            for c, p in zip(stored, self.params):
                p.data.copy_(c.data)


def main():
    torch.manual_seed(131)
    net = nn.Sequential(nn.Linear(4, 6), nn.SELU(), nn.Linear(6, 2))
    ema = WeightAverage(net.parameters(), decay=0.6)
    opt = torch.optim.RMSprop(net.parameters(), lr=0.02)
    x, y = torch.randn(9, 4), torch.randint(0, 2, (9,))
    scores = []
    for _ in range(3):
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
        ema.update()
        with ema.average_parameters(), torch.no_grad():
            scores.append(nn.functional.cross_entropy(net(x), y))
    return {"val": torch.stack(scores), **{n: p.detach().clone() for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
