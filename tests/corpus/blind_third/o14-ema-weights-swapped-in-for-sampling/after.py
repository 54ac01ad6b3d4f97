import contextlib
import torch
import torch.nn as nn


class EMA:
    def __init__(self, model, decay=0.9):
        self.model, self.decay = model, decay
        self.shadow = [p.detach().clone() for p in model.parameters()]

    @torch.no_grad()
    def update(self):
        for s, p in zip(self.shadow, self.model.parameters()):
            s.mul_(self.decay).add_(p, alpha=1 - self.decay)

    @contextlib.contextmanager
    def average(self):
        keep = [p.data.clone() for p in self.model.parameters()]
        for p, s in zip(self.model.parameters(), self.shadow):
            p.data.copy_(s)
        yield
        for p, k in zip(self.model.parameters(), keep):
            p.data.copy_(k)


@torch.no_grad()
def sample(net, n, gen, steps=4):
    x = torch.randn(n, 2, generator=gen)
    for k in range(steps, 0, -1):
        t = torch.full((n, 1), k / steps)
        eps = net(torch.cat([x, t], 1))
        x = (x - 0.3 * eps) * 1.05
        if k > 1:
            x = x + 0.1 * torch.randn(n, 2, generator=gen)
    return x


def main():
    torch.manual_seed(214)
    gen = torch.Generator().manual_seed(3)
    net = nn.Sequential(nn.Linear(3, 16), nn.SiLU(), nn.Linear(16, 2))
    ema, opt = EMA(net), torch.optim.Adam(net.parameters(), lr=1e-2)
    for _ in range(3):
        x0, t, noise = torch.randn(8, 2) + 2, torch.rand(8, 1), torch.randn(8, 2)
        loss = (net(torch.cat([x0 * (1 - t) + noise * t, t], 1)) - noise).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        ema.update()
        with ema.average():
            imgs = sample(net, 4, gen)
    return {"imgs": imgs, **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
