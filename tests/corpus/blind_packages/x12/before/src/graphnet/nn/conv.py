import torch
from torch import nn

from graphnet.scatter import aggregate_into, degree


class GatedConv(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.gate = nn.Parameter(torch.ones(dim))
        self.lin = nn.Linear(dim, dim)

    def message(self, x, src):
        return (self.gate * x)[src]

    def forward(self, x, edge_index):
        src, dst = edge_index
        m = self.message(x, src)
        m = m / degree(dst, x.size(0))[dst].unsqueeze(-1)
        x = aggregate_into(x, m, dst)
        return self.lin(x)
