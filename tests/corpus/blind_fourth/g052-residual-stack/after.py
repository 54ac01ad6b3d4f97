import operator
import torch
import torch.nn as nn


class Registry(dict):
    def register(self, name):
        def deco(cls):
            self[name] = cls
            return cls
        return deco


BLOCKS = Registry()


@BLOCKS.register("ff")
class FF(nn.Sequential):
    def __init__(self, d):
        super().__init__(nn.LayerNorm(d), nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))


@BLOCKS.register("mix")
class Mix(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.lin = nn.Linear(d, d)

    def forward(self, x):
        z = self.lin(self.norm(x))
        return z.cumsum(1) / torch.arange(1, x.size(1) + 1)[:, None]


def run(blocks, x):
    for block in blocks:
        x = operator.add(x, block(x))
    return x


def main():
    torch.manual_seed(61)
    emb = nn.Embedding(9, 4)
    blocks = nn.ModuleList(BLOCKS[k](4) for k in ("mix", "ff", "mix"))
    y = run(blocks, emb(torch.randint(0, 9, (2, 5))))
    y.square().mean().backward()
    return {"emb": emb.weight.grad}


if __name__ == "__main__":
    main()
