from collections import deque
from typing import Deque, NamedTuple

import torch
import torch.nn as nn


class InFlight(NamedTuple):
    index: int
    loss: torch.Tensor


class Pipeline:
    """Keeps one micro-batch in flight so that the loader never waits."""

    def __init__(self, model: nn.Module, lr: float, depth: int = 1):
        self.model, self.depth = model, depth
        self.queue: Deque[InFlight] = deque()
        self.opt = torch.optim.AdamW(model.parameters(), lr=lr, fused=True)
        self.done = []

    def push(self, index, x, y):
        loss = nn.functional.smooth_l1_loss(self.model(x), y)
        self.queue.append(InFlight(index, loss))
        if len(self.queue) > self.depth:
            self.retire()

    def retire(self):
        item = self.queue.popleft()
        self.opt.zero_grad()
        item.loss.backward()
        self.opt.step()
        self.done.append(item.index)

    def flush(self):
        while self.queue:
            self.retire()


class Stage(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Linear(5, 9)
        self.out = nn.Linear(9, 2)

    def forward(self, x):
        return self.out(torch.nn.functional.mish(self.inp(x)))


def main():
    torch.manual_seed(41)
    pipe = Pipeline(Stage(), lr=0.05)
    for i in range(4):
        x = torch.randn(6, 5)
        pipe.push(i, x, x[:, :2] * x[:, 2:4])
    pipe.flush()
    return {n: p.grad for n, p in pipe.model.named_parameters()}


if __name__ == "__main__":
    main()
