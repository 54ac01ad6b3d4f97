import functools

import torch
from torch import Tensor, nn


def centred(dim: int = 0, enabled_attr: str = "centre"):
    def decorate(forward):
        @functools.wraps(forward)
        def wrapper(self, *args, **kwargs):
            out = forward(self, *args, **kwargs)
            if getattr(self, enabled_attr, True):
                out -= out.mean(dim=dim, keepdim=True)
            return out

        return wrapper

    return decorate


class Embedder(nn.Module):
    centre = True

    def __init__(self, din: int, dim: int):
        super().__init__()
        self.lin = nn.Linear(din, dim)


class LinearEmbedder(Embedder):
    @centred()
    def forward(self, x: Tensor) -> Tensor:
        return self.lin(x)


class BoundedEmbedder(Embedder):
    @centred()
    def forward(self, x: Tensor) -> Tensor:
        return torch.tanh(self.lin(x))


class BarlowTwins(nn.Module):
    def __init__(self, left: Embedder, right: Embedder, off_diagonal: float = 0.05):
        super().__init__()
        self.left, self.right, self.weight = left, right, off_diagonal

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        za, zb = self.left(a), self.right(b)
        corr = za.t() @ zb / len(za)
        on = (corr.diagonal() - 1).square().sum()
        off = corr.square().sum() - corr.diagonal().square().sum()
        return on + self.weight * off


def main():
    torch.manual_seed(0)
    model = BarlowTwins(LinearEmbedder(4, 3), BoundedEmbedder(5, 3))
    model(torch.randn(6, 4), torch.randn(6, 5)).backward()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
