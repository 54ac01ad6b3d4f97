from typing import Callable

import torch
from torch import Tensor, nn

Field = Callable[[Tensor, Tensor], Tensor]


def euler(field: Field, state: Tensor, times: Tensor) -> Tensor:
    for t0, t1 in zip(times[:-1], times[1:]):
        slope = field(t0, state)
        state += (t1 - t0) * slope
    return state


class Dynamics(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.inner = nn.Linear(dim + 1, 12)
        self.outer = nn.Linear(12, dim)

    def forward(self, t: Tensor, y: Tensor) -> Tensor:
        clock = t.expand(y.shape[0], 1)
        drive = self.outer(torch.sin(self.inner(torch.cat((y, clock), 1))))
        return drive * y


def main():
    torch.manual_seed(8)
    f, lift = Dynamics(3), nn.Linear(2, 3)
    y1 = euler(f, lift(torch.randn(5, 2)), torch.linspace(0, 1, 4))
    y1.pow(2).sum().backward()
    grads = {"f." + n: p.grad.clone() for n, p in f.named_parameters()}
    return {**grads, "lift": lift.weight.grad.clone()}


if __name__ == "__main__":
    main()
