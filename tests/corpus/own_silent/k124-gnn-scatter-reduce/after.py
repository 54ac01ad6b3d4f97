import torch
from torch import nn


class EdgeConv(nn.Module):
    def __init__(self, dim, aggr="amax"):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(2 * dim, dim), nn.LeakyReLU(0.1))
        self.aggr = aggr

    def forward(self, x, edge_index):
        src, dst = edge_index
        msg = self.mlp(torch.cat([x[dst], x[src] - x[dst]], dim=-1))
        out = torch.full_like(x, -1e3)
        index = dst.unsqueeze(-1).expand_as(msg)
        return out.scatter_reduce(0, index, msg, reduce=self.aggr, include_self=False)


def degree(index, n):
    return torch.bincount(index, minlength=n).float()


def main():
    torch.manual_seed(235)
    convs = nn.ModuleList(EdgeConv(3) for _ in range(2))
    edge_index = torch.tensor([[0, 1, 2, 3, 0, 2], [1, 2, 3, 0, 2, 0]])
    x = torch.randn(4, 3)
    for conv in convs:
        x = conv(x, edge_index)
    x = x / degree(edge_index[1], 4).clamp_(min=1).unsqueeze(1)
    x.square().sum().backward()
    return {n: p.grad for n, p in convs.named_parameters()}


if __name__ == "__main__":
    main()
