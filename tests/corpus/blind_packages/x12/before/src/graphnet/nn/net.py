from torch import nn

from .conv import GatedConv


class GraphNet(nn.Module):
    def __init__(self, dim, layers):
        super().__init__()
        self.enc = nn.Linear(dim, dim)
        self.convs = nn.ModuleList([GatedConv(dim) for _ in range(layers)])

    def forward(self, x, edge_index):
        x = self.enc(x)
        for conv in self.convs:
            x = conv(x, edge_index)
            x.clamp_(-10, 10)
        return x
