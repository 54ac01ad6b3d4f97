from dataclasses import dataclass
from typing import List, Optional

import torch
import torch.nn as nn


@dataclass
class Snapshot:
    points: List[torch.Tensor]
    grads: List[torch.Tensor]


class BarzilaiBorwein:
    def __init__(self, params, first_lr: float):
        self.params = list(params)
        self.lr = first_lr
        self.prev: Optional[Snapshot] = None

    def _snapshot(self) -> Snapshot:
        return Snapshot([p.data for p in self.params], [p.grad.clone() for p in self.params])

    def _rate(self, now: Snapshot) -> float:
        if self.prev is None:
            return self.lr
        s = torch.cat([(a - b).flatten() for a, b in zip(now.points, self.prev.points)])
        y = torch.cat([(a - b).flatten() for a, b in zip(now.grads, self.prev.grads)])
        return float((s @ s).abs() / (s @ y).abs().clamp(min=1e-8)) or self.lr

    @torch.no_grad()
    def step(self):
        now = self._snapshot()
        self.lr = self._rate(now)
        for p in self.params:
            p.sub_(p.grad, alpha=self.lr)
        self.prev = now


class Ridge(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(dim))
        self.b = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        return x @ self.w + self.b


def main():
    torch.manual_seed(197)
    x = torch.randn(30, 3) * torch.tensor([1.0, 2.0, 0.5])
    y = x @ torch.tensor([0.3, -1.0, 2.0]) + 0.1 * torch.randn(30)
    net = Ridge(3)
    opt = BarzilaiBorwein(net.parameters(), first_lr=0.01)
    for _ in range(5):
        net.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        opt.step()
    return {"lr": torch.tensor(opt.lr), "w": net.w.detach().clone(), "b": net.b.detach().clone()}


if __name__ == "__main__":
    main()
