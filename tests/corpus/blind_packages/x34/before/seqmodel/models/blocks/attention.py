import torch
from torch import nn

from ...utils.masks import causal_mask, distance_bias


def apply_mask_(scores, mask):
    return scores.masked_fill_(mask, float("-inf"))


class CausalAttention(nn.Module):
    def __init__(self, dim, heads, max_len):
        super().__init__()
        self.heads, self.dh = heads, dim // heads
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_kv = nn.Linear(dim, 2 * dim, bias=False)
        self.slope = nn.Parameter(torch.full((heads, 1, 1), 0.1))
        self.proj = nn.Linear(dim, dim)

    def split(self, t):
        return t.unflatten(-1, (self.heads, self.dh)).transpose(1, 2)

    def forward(self, x):
        n = x.size(1)
        q = self.split(self.to_q(x))
        q *= self.dh**-0.5
        k, v = (self.split(t) for t in self.to_kv(x).chunk(2, -1))
        scores = q @ k.mT
        scores += self.slope * distance_bias(n)
        apply_mask_(scores, causal_mask(n))
        out = scores.softmax(-1) @ v
        return self.proj(out.transpose(1, 2).flatten(2))
