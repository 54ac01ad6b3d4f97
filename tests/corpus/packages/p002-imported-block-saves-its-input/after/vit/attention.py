import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        n, t, width = x.shape
        parts = self.qkv(self.norm(x)).view(n, t, 3, self.heads, width // self.heads)
        q, k, v = (part.transpose(1, 2) for part in parts.unbind(2))
        scores = q @ k.transpose(-2, -1) / (width // self.heads) ** 0.5
        mixed = scores.softmax(-1) @ v
        return self.out(mixed.transpose(1, 2).reshape(n, t, width))
