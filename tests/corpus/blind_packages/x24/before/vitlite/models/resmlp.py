from torch import nn

from ..layers import DropPath, Mlp
from .registry import register


class Block(nn.Module):
    def __init__(self, d, p):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.mlp = Mlp(d)
        self.drop = DropPath(p)

    def forward(self, x):
        y = self.drop(self.mlp(self.norm(x)))
        y += x
        return y


@register("resmlp")
class ResMlp(nn.Module):
    def __init__(self, dim, depth, drop_path):
        super().__init__()
        self.blocks = nn.Sequential(*[Block(dim, drop_path * i / depth) for i in range(depth)])
        self.head = nn.Linear(dim, 2)

    def forward(self, x):
        return self.head(self.blocks(x))
