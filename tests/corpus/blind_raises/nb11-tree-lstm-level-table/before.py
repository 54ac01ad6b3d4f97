from collections import defaultdict
from typing import NamedTuple

import torch
from torch import Tensor, nn


class Forest(NamedTuple):
    tokens: Tensor
    children: dict
    levels: list

    @classmethod
    def build(cls, tokens, parents):
        children, depth = defaultdict(list), {}
        for node, parent in enumerate(parents):
            if parent >= 0:
                children[parent].append(node)

        def height(node):
            depth[node] = 1 + max((height(c) for c in children[node]), default=-1)
            return depth[node]

        for node, parent in enumerate(parents):
            if parent < 0:
                height(node)
        levels = [[n for n, d in depth.items() if d == k] for k in range(max(depth.values()) + 1)]
        return cls(tokens, dict(children), levels)


class ChildSumCell(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.iou = nn.Linear(2 * dim, 3 * dim)
        self.forget = nn.Linear(2 * dim, dim)

    def forward(self, x, child_h, child_c):
        i, o, u = self.iou(torch.cat([x, child_h.sum(0)])).chunk(3)
        f = torch.sigmoid(self.forget(torch.cat([x.expand_as(child_h), child_h], dim=1)))
        c = torch.sigmoid(i) * torch.tanh(u) + (f * child_c).sum(0)
        return torch.sigmoid(o) * torch.tanh(c), c


class TreeEncoder(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.cell = ChildSumCell(dim)

    def forward(self, forest: Forest) -> Tensor:
        x = self.embed(forest.tokens)
        h, c = torch.zeros_like(x), torch.zeros_like(x)
        for level in forest.levels:
            pairs = []
            for node in level:
                kids = torch.tensor(forest.children.get(node, []), dtype=torch.long)
                pairs.append(self.cell(x[node], h[kids], c[kids]))
            where = torch.tensor(level)
            h[where], c[where] = (torch.stack(s) for s in zip(*pairs))
        return h[forest.levels[-1]]


def main():
    torch.manual_seed(0)
    enc = TreeEncoder(9, 4)
    forest = Forest.build(torch.randint(0, 9, (6,)), parents=[4, 4, 5, 5, 5, -1])
    enc(forest).square().sum().backward()
    return {n: p.grad for n, p in enc.named_parameters()}


if __name__ == "__main__":
    main()
