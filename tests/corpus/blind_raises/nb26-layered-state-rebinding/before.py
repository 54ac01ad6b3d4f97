from dataclasses import dataclass, field
from typing import Dict, List, Optional

import torch
from torch import Tensor, nn


@dataclass
class StackState:
    hidden: List[Tensor]
    extras: Dict[str, Tensor] = field(default_factory=dict)
    steps: int = 0

    def copy(self) -> "StackState":
        return StackState(list(self.hidden), dict(self.extras), self.steps)


class ZoneoutStack(nn.Module):
    def __init__(self, din: int, dim: int, layers: int, zoneout: float = 0.2):
        super().__init__()
        self.cells = nn.ModuleList(nn.GRUCell(din if i == 0 else dim, dim) for i in range(layers))
        self.dim, self.zoneout = dim, zoneout

    def initial(self, batch: int) -> StackState:
        return StackState([torch.zeros(batch, self.dim) for _ in self.cells])

    def forward(self, x: Tensor, state: Optional[StackState] = None):
        state = state.copy() if state else self.initial(len(x))
        for i, cell in enumerate(self.cells):
            new = cell(x, state.hidden[i])
            keep = (torch.rand_like(new) < self.zoneout).float()
            state.hidden[i] = keep * state.hidden[i] + (1 - keep) * new
            x = state.hidden[i]
        state.extras["activity"] = state.extras.get("activity", 0.0) + x.abs().mean()
        state.steps += 1
        return x, state


class Pooler(nn.Module):
    def __init__(self):
        super().__init__()
        self.stack = ZoneoutStack(3, 4, layers=2)
        self.head = nn.Linear(4, 2)

    def forward(self, seq: Tensor):
        state, outs = None, []
        for x in seq:
            y, state = self.stack(x, state)
            outs += [y]
        return self.head(torch.stack(outs).mean(0)), state


def main():
    torch.manual_seed(0)
    net = Pooler()
    logits, state = net(torch.randn(5, 2, 3))
    loss = nn.functional.cross_entropy(logits, torch.tensor([1, 0])) + 0.1 * state.extras["activity"] / state.steps
    loss.backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
