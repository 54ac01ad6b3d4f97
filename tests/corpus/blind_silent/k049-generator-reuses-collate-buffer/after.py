from typing import Iterator, Sequence

import torch
import torch.nn as nn


class BufferedLoader:
    """Collates into a preallocated tensor, drop-last."""

    def __init__(self, rows: Sequence[torch.Tensor], size: int):
        self.rows, self.size = rows, size
        self.buf = torch.empty(size, *rows[0].shape)

    def __len__(self):
        return len(self.rows) // self.size

    def __iter__(self) -> Iterator[torch.Tensor]:
        for i in range(len(self)):
            chunk = self.rows[i * self.size:(i + 1) * self.size]
            torch.stack(list(chunk), out=self.buf)
            yield self.buf.clone()


class MAML:
    def __init__(self, dim, inner_lr):
        self.w = torch.zeros(dim, requires_grad=True)
        self.inner_lr = inner_lr

    @staticmethod
    def loss(w, rows):
        x, y = rows[:, :-1], rows[:, -1]
        return (x @ w - y).square().mean()

    def outer(self, tasks):
        total = 0.0
        for support, query in tasks:
            (g,) = torch.autograd.grad(self.loss(self.w, support), self.w, create_graph=True)
            total = total + self.loss(self.w - self.inner_lr * g, query)
        return total / len(tasks)


def pairs(loader):
    batches = [b for b in loader]
    return list(zip(batches[::2], batches[1::2]))


def main():
    torch.manual_seed(233)
    rows = list(torch.randn(24, 4))
    learner = MAML(3, inner_lr=0.1)
    loss = learner.outer(pairs(BufferedLoader(rows, size=6)))
    loss.backward()
    return {"loss": loss.detach(), "w": learner.w.grad}


if __name__ == "__main__":
    main()
