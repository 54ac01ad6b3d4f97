from typing import List, Optional

import torch
import torch.nn as nn


class StackedGRU(nn.Module):
    def __init__(self, d_in: int, d: int, layers: int):
        super().__init__()
        self.cells = nn.ModuleList(nn.GRUCell(d_in if i == 0 else d, d) for i in range(layers))
        self.d = d

    def initial(self, batch: int) -> List[torch.Tensor]:
        return [torch.zeros(batch, self.d)] * len(self.cells)

    def forward(self, seq, state: Optional[List[torch.Tensor]] = None):
        state = list(state or self.initial(seq.size(1)))
        outputs = []
        for x in seq:
            for i, cell in enumerate(self.cells):
                state[i] = x = cell(x, state[i])
            outputs.append(x)
        return torch.stack(outputs), state


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.out = StackedGRU(2, 4, layers=3), nn.Linear(4, 1)

    def forward(self, seq):
        hidden, _ = self.rnn(seq)
        return self.out(hidden).squeeze(-1)


def main():
    torch.manual_seed(101)
    net = Counter()
    seq = torch.randint(0, 2, (6, 3, 2)).float()
    (net(seq) - seq.sum(-1).cumsum(0)).square().mean().backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
