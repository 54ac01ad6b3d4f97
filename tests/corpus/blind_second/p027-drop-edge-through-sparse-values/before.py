import torch
import torch.nn as nn


def ring_adjacency(n):
    rows = torch.arange(n).repeat_interleave(2)
    cols = torch.stack([(torch.arange(n) - 1) % n, (torch.arange(n) + 1) % n], 1).flatten()
    order = (rows * n + cols).argsort()
    return torch.stack([rows[order], cols[order]])


class DropEdge:
    def __init__(self, index, n, keep, seed):
        self.values = torch.full((index.size(1),), 0.5)
        self.adj = torch.sparse_coo_tensor(index, self.values, (n, n), is_coalesced=True)
        self.keep, self.gen = keep, torch.Generator().manual_seed(seed)

    def sample(self):
        mask = torch.rand(self.values.shape, generator=self.gen) < self.keep
        self.values.mul_(mask).div_(self.keep)
        return self.adj


class DeepGCN(nn.Module):
    def __init__(self, dims, edges):
        super().__init__()
        self.weights = nn.ParameterList(nn.Parameter(torch.randn(a, b) / a ** 0.5) for a, b in zip(dims, dims[1:]))
        self.edges = edges

    def forward(self, x):
        for w in self.weights:
            adj = self.edges.sample()
            x = torch.tanh(torch.sparse.mm(adj, x @ w))
        return x


def main():
    torch.manual_seed(29)
    edges = DropEdge(ring_adjacency(8), 8, keep=0.7, seed=2)
    net = DeepGCN([4, 6, 6, 2], edges)
    loss = nn.functional.cross_entropy(net(torch.randn(8, 4)), torch.arange(8) % 2)
    loss.backward()
    return {f"w{i}": w.grad for i, w in enumerate(net.weights)}


if __name__ == "__main__":
    main()
