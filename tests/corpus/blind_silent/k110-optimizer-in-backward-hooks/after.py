from typing import Dict

import torch
import torch.nn as nn
import torch.nn.functional as F


class BackwardOptimizer:
    def __init__(self, model: nn.Module, lr: float):
        self.optimizers: Dict[nn.Parameter, torch.optim.Optimizer] = {
            p: torch.optim.Adam([p], lr=lr, foreach=False) for p in model.parameters()
        }
        for p in self.optimizers:
            assert p.is_leaf

    def _hook(self, param: torch.Tensor) -> None:
        opt = self.optimizers[param]
        opt.step()
        opt.zero_grad()

    def finish(self):
        for p in self.optimizers:
            self._hook(p)


class Conv(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(1, 3, 3)
        self.gn = nn.GroupNorm(3, 3)
        self.out = nn.Linear(3, 2)

    def forward(self, x):
        return self.out(F.silu(self.gn(self.stem(x))).mean((2, 3)))


def main():
    torch.manual_seed(37)
    net = Conv()
    opt = BackwardOptimizer(net, lr=0.01)
    for _ in range(3):
        x, y = torch.randn(4, 1, 6, 6), torch.randint(0, 2, (4,))
        F.cross_entropy(net(x), y).backward()
        opt.finish()
    return {n: p.detach().clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
