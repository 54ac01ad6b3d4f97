import abc

import torch
from torch import nn


class BasePool(nn.Module, abc.ABC):
    def __init__(self, dim):
        super().__init__()
        self.key = nn.Linear(dim, 1)

    def weights(self, x):
        return self.adjust(self.key(x).squeeze(-1).softmax(dim=1), x)

    @abc.abstractmethod
    def adjust(self, w, x): ...

    def forward(self, x):
        return torch.einsum("bn,bnd->bd", self.weights(x), x)


class DropTailPool(BasePool):
    def __init__(self, dim, tail):
        super().__init__(dim)
        self.tail = tail

    def adjust(self, w, x):
        keep = torch.arange(w.shape[1]) < w.shape[1] - self.tail
        w = w * keep
        return w / w.sum(dim=1, keepdim=True)


def main():
    torch.manual_seed(35)
    embed, pool = nn.Linear(3, 4), DropTailPool(4, tail=2)
    pooled = pool(embed(torch.randn(2, 6, 3)))
    pooled.norm(dim=1).sum().backward()
    return {"embed": embed.weight.grad.clone(), "key": pool.key.weight.grad.clone()}


if __name__ == "__main__":
    main()
