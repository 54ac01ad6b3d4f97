import torch
from torch import nn


class Stats:
    total = 0.0
    names = ()

    def update(self, x):
        self.total = self.total + x.detach().sum(0)
        self.names += (len(x),)


def swap(x, i, j):
    x = x.clone()
    x[i], x[j] = x[j].clone(), x[i].clone()
    x[[0, -1]] = x[[-1, 0]]
    return x


def main():
    torch.manual_seed(685)
    net, a, b = nn.Linear(3, 2), Stats(), Stats()
    best = worst = None
    hits = misses = 0
    for _ in range(4):
        x = torch.randn(5, 3)
        y = net(swap(x, 1, 3))
        (a if y.mean() > 0 else b).update(y)
        loss = y.square().mean()
        hits += int(loss < 1)
        misses += int(loss >= 1)
        best = loss if best is None or loss < best else best
        worst = loss if worst is None or loss > worst else worst
    (best + 2 * worst).backward()
    return {"a": torch.as_tensor(a.total), "b": torch.as_tensor(b.total), "hits": torch.tensor([hits, misses]), "w": net.weight.grad}


if __name__ == "__main__":
    main()
