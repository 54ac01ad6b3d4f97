from typing import Callable, List

import torch
import torch.nn as nn

Energy = Callable[[torch.Tensor], torch.Tensor]


class Langevin:
    def __init__(self, energy: Energy, step: float, noise: float, seed: int):
        self.energy, self.step, self.noise = energy, step, noise
        self.gen = torch.Generator().manual_seed(seed)

    def _drift(self, x):
        (g,) = torch.autograd.grad(self.energy(x).sum(), x)
        return g

    def sample(self, x0: torch.Tensor, n: int) -> List[torch.Tensor]:
        x = x0.clone().requires_grad_()
        chain = []
        for _ in range(n):
            chain.append(x.detach())
            g = self._drift(x)
            with torch.no_grad():
                x.add_(g, alpha=-self.step)
                x.add_(torch.randn(x.shape, generator=self.gen), alpha=self.noise)
        return chain


class EnergyNet(nn.Module):
    def __init__(self, dim=2):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(dim, 8), nn.Softplus(), nn.Linear(8, 1))

    def forward(self, x):
        return self.f(x).squeeze(-1) + 0.5 * x.square().sum(-1)


def main():
    torch.manual_seed(113)
    net = EnergyNet()
    chain = Langevin(net, step=0.2, noise=0.05, seed=3).sample(torch.randn(6, 2), n=5)
    negatives = torch.cat(chain[1:])
    positives = torch.randn(6, 2) * 0.3
    (net(positives).mean() - net(negatives).mean()).backward()
    return {"chain": torch.stack(chain), **{n: p.grad for n, p in net.named_parameters() if p.grad is not None}}


if __name__ == "__main__":
    main()
