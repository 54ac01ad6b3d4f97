import torch
import torch.nn as nn


class Adapter:
    def __init__(self, lin, rank, scale=0.5):
        self.lin, self.scale = lin, scale
        self.a = torch.randn(lin.out_features, rank)
        self.b = torch.randn(rank, lin.in_features)

    def _shift(self, sign):
        with torch.no_grad():
            self.lin.weight.addmm_(self.a, self.b, alpha=sign * self.scale)

    def __enter__(self):
        self._shift(1)
        return self

    def __exit__(self, *exc):
        self._shift(-1)


def distil_loss(stem, head, x):
    return head(stem(x).relu()).logsumexp(1).mean()


def main():
    torch.manual_seed(91)
    stem, head = nn.Linear(4, 6), nn.Linear(6, 3)
    x = torch.randn(5, 4)
    with Adapter(head, 2):
        loss = distil_loss(stem, head, x)
        loss.backward()
    return {"stem": stem.weight.grad, "head": head.weight.grad}


if __name__ == "__main__":
    main()
