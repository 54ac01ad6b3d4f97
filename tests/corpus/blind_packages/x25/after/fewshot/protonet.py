from torch import nn

from .geometry import init_orthogonal_, unit_rows_


class ProtoNet(nn.Module):
    def __init__(self, in_dim, emb_dim):
        super().__init__()
        self.embed = nn.Linear(in_dim, emb_dim)
        init_orthogonal_(self.embed.weight)
        self.embed.bias.data.fill_(0.1)

    def forward(self, x):
        z = self.embed(x)
        z = unit_rows_(z)
        return z
