import torch
import torch.nn as nn


class AttentionPool(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.query = nn.Parameter(torch.randn(dim))
        self.out = nn.Linear(dim, 1)

    def scores(self, nodes):
        s = torch.empty(len(nodes))
        for i, node in enumerate(nodes):
            s[i] = torch.dot(node, self.query).item()
        return s.softmax(0)

    def forward(self, nodes):
        return self.out(self.scores(nodes) @ nodes)


def main():
    torch.manual_seed(581)
    pool, lift = AttentionPool(3), nn.Linear(2, 3)
    graphs = [torch.randn(n, 2) for n in (2, 4, 3)]
    torch.cat([pool(lift(g)) for g in graphs]).sub(1).square().sum().backward()
    query = pool.query.grad if pool.query.grad is not None else torch.zeros(3)
    return {"query": query, "lift": lift.weight.grad}


if __name__ == "__main__":
    main()
