import torch
from torch import nn


class Graph:
    def __init__(self, edges, weight, n):
        self.edges, self.weight, self.n = edges, weight.clone(), n
        self._adj = None

    def normalise(self):
        deg = torch.zeros(self.n).index_add_(0, self.edges[0], self.weight)
        inv = deg.pow_(-0.5).masked_fill_(deg == float("inf"), 0)
        self.weight.mul_(inv[self.edges[0]]).mul_(inv[self.edges[1]])
        return self

    @property
    def adj(self):
        if self._adj is None:
            self._adj = torch.sparse_coo_tensor(self.edges, self.weight, (self.n, self.n)).coalesce()
        return self._adj


class GCN(nn.Module):
    def __init__(self, *dims):
        super().__init__()
        self.lins = nn.ModuleList(nn.Linear(a, b) for a, b in zip(dims, dims[1:]))

    def forward(self, graph, x):
        for lin in self.lins:
            x = torch.relu_(graph.adj @ lin(x))
        return x


def main():
    torch.manual_seed(625)
    graph = Graph(torch.tensor([[0, 1, 1, 2, 3], [1, 0, 2, 3, 0]]), torch.rand(5) + 0.5, 4).normalise()
    net = GCN(3, 4, 2)
    net(graph, torch.randn(4, 3)).sum().backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
