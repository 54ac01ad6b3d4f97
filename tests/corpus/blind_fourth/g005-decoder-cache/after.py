import math
from dataclasses import dataclass, field
import torch
import torch.nn as nn


@dataclass
class Past:
    size: int
    dim: int
    length: int = 0
    keys: torch.Tensor = field(default=None)

    def append(self, k):
        if self.keys is None:
            self.keys = torch.zeros(self.size, self.dim)
        self.keys = torch.cat([self.keys[:self.length], k[None], self.keys[self.length + 1:]])
        self.length += 1
        return self.keys[: self.length]


class Head(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q, self.k = nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x, past):
        keys = past.append(self.k(x))
        w = (keys @ self.q(x) / math.sqrt(len(x))).softmax(0)
        return w @ keys


def main():
    torch.manual_seed(7)
    head = Head(4)
    past = Past(6, 4)
    y = torch.zeros(4)
    for tok in torch.randn(4, 4):
        y = y + head(tok, past)
    y.square().sum().backward()
    return {"q": head.q.weight.grad, "k": head.k.weight.grad}


if __name__ == "__main__":
    main()
