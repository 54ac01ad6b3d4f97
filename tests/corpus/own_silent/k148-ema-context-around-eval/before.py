from contextlib import contextmanager

import torch
from torch import nn


class Ema:
    def __init__(self, params, decay):
        self.params, self.decay = list(params), decay
        self.shadow = [p.detach().clone() for p in self.params]

    def update(self):
        torch._foreach_lerp_(self.shadow, [p.detach() for p in self.params], 1 - self.decay)

    @contextmanager
    def swapped(self):
        kept = [p.detach().clone() for p in self.params]
        for p, s in zip(self.params, self.shadow):
            p.data.copy_(s)
        try:
            yield
        finally:
            for p, k in zip(self.params, kept):
                p.data.copy_(k)


def main():
    torch.manual_seed(475)
    net = nn.Sequential(nn.Conv1d(2, 3, 3), nn.CELU(inplace=True), nn.Conv1d(3, 1, 3))
    ema, opt = Ema(net.parameters(), 0.7), torch.optim.Adam(net.parameters(), 0.05)
    scores = []
    for _ in range(3):
        loss = net(torch.randn(3, 2, 8)).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        ema.update()
        with ema.swapped(), torch.no_grad():
            scores.append(net(torch.ones(1, 2, 8)).mean())
    return {"scores": torch.stack(scores), **dict(net.named_parameters())}


if __name__ == "__main__":
    main()
