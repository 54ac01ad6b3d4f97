import contextlib

import torch
from torch import nn


class Averager:
    def __init__(self, net, decay=0.9):
        self.net, self.decay = net, decay
        self.shadow = {n: p.detach().clone() for n, p in net.named_parameters()}

    @torch.no_grad()
    def update(self):
        for n, p in self.net.named_parameters():
            self.shadow[n] = self.shadow[n].lerp(p, 1 - self.decay)

    @contextlib.contextmanager
    def swapped(self):
        kept = {n: p.detach().clone() for n, p in self.net.named_parameters()}
        with torch.no_grad():
            for n, p in self.net.named_parameters():
                p.copy_(self.shadow[n])
        try:
            yield
        finally:
            with torch.no_grad():
                for n, p in self.net.named_parameters():
                    p.copy_(kept[n])


def main():
    torch.manual_seed(12)
    net = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1))
    ema, opt = Averager(net), torch.optim.SGD(net.parameters(), lr=0.1)
    scores = []
    for _ in range(2):
        x = torch.randn(6, 3)
        loss = (net(x) - x.mean(1, keepdim=True)).abs().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        ema.update()
        with ema.swapped(), torch.no_grad():
            scores.append(net(x).mean())
    return {"scores": torch.stack(scores), "g": net[0].weight.grad.clone()}


if __name__ == "__main__":
    main()
