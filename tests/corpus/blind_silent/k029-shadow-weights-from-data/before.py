from typing import Dict

import torch
import torch.nn as nn


class EMA:
    def __init__(self, model: nn.Module, decay: float):
        self.model, self.decay = model, decay
        self.shadow: Dict[str, torch.Tensor] = {}
        self.backup: Dict[str, torch.Tensor] = {}

    def trainable(self):
        return ((n, p) for n, p in self.model.named_parameters() if p.requires_grad)

    def register(self):
        for name, param in self.trainable():
            self.shadow[name] = param.data

    def update(self):
        for name, param in self.trainable():
            avg = self.shadow[name]
            avg.mul_(self.decay).add_(param.data, alpha=1 - self.decay)

    def averaged(self):
        return {n: s.clone() for n, s in self.shadow.items()}


class ScoreNet(nn.Module):
    def __init__(self, dim=3):
        super().__init__()
        self.time = nn.Linear(1, 6)
        self.inp, self.out = nn.Linear(dim, 6), nn.Linear(6, dim)

    def forward(self, x, t):
        return self.out(nn.functional.silu(self.inp(x) + self.time(t)))


def denoising_loss(net, x, gen):
    t = torch.rand(len(x), 1, generator=gen)
    eps = torch.randn(x.shape, generator=gen)
    return (net(x + t * eps, t) + eps).square().mean()


def main():
    torch.manual_seed(127)
    net, gen = ScoreNet(), torch.Generator().manual_seed(0)
    ema = EMA(net, decay=0.8)
    ema.register()
    opt = torch.optim.Adam(net.parameters(), lr=0.01)
    data = torch.randn(16, 3)
    for _ in range(4):
        opt.zero_grad()
        denoising_loss(net, data, gen).backward()
        opt.step()
        ema.update()
    return ema.averaged()


if __name__ == "__main__":
    main()
