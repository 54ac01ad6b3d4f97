from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass(frozen=True)
class Graph:
    src: torch.Tensor
    dst: torch.Tensor
    nodes: int

    def degree(self) -> torch.Tensor:
        deg = torch.ones(self.nodes)
        return deg.index_add(0, self.dst, torch.ones(len(self.dst)))

    def norm(self) -> torch.Tensor:
        inv = self.degree().rsqrt()
        return inv[self.src] * inv[self.dst]


class GCNLayer(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.lin = nn.Linear(d_in, d_out, bias=False)

    def forward(self, g: Graph, h):
        h = self.lin(h)
        out = torch.zeros_like(h)
        return out.index_add(0, g.dst, h[g.src] * g.norm().unsqueeze(1)) + h / g.degree().unsqueeze(1)


class GCN(nn.Module):
    def __init__(self, dims):
        super().__init__()
        self.layers = nn.ModuleList(GCNLayer(a, b) for a, b in zip(dims, dims[1:]))

    def forward(self, g, h):
        *hidden, last = self.layers
        for layer in hidden:
            h = layer(g, h).relu()
        return last(g, h)


def main():
    torch.manual_seed(139)
    edges = [(0, 1), (2, 1), (3, 1), (1, 0), (4, 3), (2, 3), (0, 4)]
    src, dst = torch.tensor(edges).t()
    net = GCN([3, 5, 2])
    out = net(Graph(src, dst, nodes=5), torch.randn(5, 3))
    nn.functional.cross_entropy(out, torch.tensor([0, 1, 1, 0, 1])).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
