import random

import numpy as np
import torch
from torch import nn


class Epochs:
    """Yields mini-batches; reshuffles the rows for the next epoch as soon as the last batch is out."""

    def __init__(self, table, batch, seed):
        self.table, self.batch = table, batch
        self.rng = np.random.default_rng(seed)

    def __iter__(self):
        rows = torch.from_numpy(self.table.copy())
        for start in range(0, len(rows), self.batch):
            last = start + self.batch >= len(rows)
            chunk = rows[start : start + self.batch]
            out = chunk[:, :-1], chunk[:, -1:]
            if last:
                yield from self.finish(out)
            else:
                yield out

    def finish(self, out):
        yield out
        self.rng.shuffle(self.table)


def main():
    torch.manual_seed(161)
    random.seed(0)
    table = np.random.default_rng(3).normal(size=(6, 4)).astype(np.float32)
    net = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1))
    losses = [nn.functional.mse_loss(net(x), y) for x, y in Epochs(table, 3, 1)]
    sum(losses).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
