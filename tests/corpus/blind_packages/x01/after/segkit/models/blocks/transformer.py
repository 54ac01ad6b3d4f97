import torch.nn as nn

from .attention import SelfAttention


class TransformerBlock(nn.Module):
    def __init__(self, dim, heads, mlp_ratio):
        super().__init__()
        hidden = int(dim * mlp_ratio)
        self.norm1 = nn.LayerNorm(dim)
        self.attn = SelfAttention(dim, heads)
        self.norm2 = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(inplace=True), nn.Linear(hidden, dim))

    def forward(self, x, lengths=None):
        x = x + self.attn(self.norm1(x), lengths)
        return x + self.mlp(self.norm2(x))
