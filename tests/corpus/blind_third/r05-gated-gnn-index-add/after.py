import torch
import torch.nn as nn


class GatedConv(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.msg = nn.Linear(2 * dim, dim)
        self.gate = nn.Linear(dim, dim)
        self.norm = nn.LayerNorm(dim)

    def forward(self, h, edge_index):
        src, dst = edge_index
        m = torch.relu(self.msg(torch.cat([h[src], h[dst]], dim=-1)))
        g = torch.sigmoid(self.gate(h))
        h = h.index_add(0, dst, g[dst] * m)
        return self.norm(h)


class MolEncoder(nn.Module):
    def __init__(self, n_atoms=6, dim=8, layers=2):
        super().__init__()
        self.atom = nn.Embedding(n_atoms, dim)
        self.convs = nn.ModuleList([GatedConv(dim) for _ in range(layers)])
        self.head = nn.Linear(dim, 1)

    def forward(self, z, edge_index, graph_id, n_graphs):
        h = self.atom(z)
        for conv in self.convs:
            h = conv(h, edge_index)
        pooled = torch.zeros(n_graphs, h.shape[1])
        pooled.index_add_(0, graph_id, h)
        return self.head(pooled).squeeze(-1)


def main():
    torch.manual_seed(3)
    z = torch.tensor([0, 1, 2, 1, 0, 3, 5])
    edges = torch.tensor([[0, 1, 1, 2, 4, 5, 5, 6], [1, 0, 2, 1, 5, 4, 6, 5]])
    graph_id = torch.tensor([0, 0, 0, 0, 1, 1, 1])
    model = MolEncoder()
    energy = model(z, edges, graph_id, 2)
    nn.functional.l1_loss(energy, torch.tensor([0.3, -1.2])).backward()
    return {n: p.grad.clone() for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
