import copy
from types import SimpleNamespace

import torch
from torch import nn


def clones(module, n):
    return nn.ModuleList([copy.deepcopy(module) for _ in range(n)])


def make(cfg):
    layer = nn.TransformerEncoderLayer(cfg.dim, cfg.heads, cfg.ff, dropout=0.0, batch_first=True)
    stack = clones(layer, cfg.depth)
    for i, block in enumerate(stack):
        nn.init.xavier_uniform_(block.linear1.weight)
        with torch.no_grad():
            block.linear2.weight = nn.Parameter(block.linear2.weight / (i + 1) ** 0.5)
    return stack


def main():
    torch.manual_seed(715)
    base = SimpleNamespace(dim=4, heads=2, ff=8, depth=1)
    big = copy.copy(base)
    big.depth += 1
    big.ff *= 2
    out = x = torch.randn(2, 3, 4)
    stacks = nn.ModuleList([make(base), make(big)])
    for stack in stacks:
        for block in stack:
            out = block(out)
    (out - x).square().mean().backward()
    return {"depth": torch.tensor([base.depth, big.depth]), "w": stacks[1][1].linear2.weight.grad, "w0": stacks[0][0].linear1.weight.grad}


if __name__ == "__main__":
    main()
