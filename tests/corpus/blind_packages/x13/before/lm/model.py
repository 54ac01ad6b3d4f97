import torch
from torch import nn

from . import rotary


class TinyLM(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.emb = nn.Embedding(cfg.vocab, cfg.dim)
        self.qk = nn.Linear(cfg.dim, 2 * cfg.dim)
        self.v = nn.Linear(cfg.dim, cfg.dim)
        self.out = nn.Linear(cfg.dim, cfg.vocab)
        self.register_buffer("causal", torch.ones(cfg.length, cfg.length).triu_(1).bool())

    def forward(self, ids):
        c = self.cfg
        x = self.emb(ids)
        q, k = self.qk(x).chunk(2, dim=-1)
        cos, sin = rotary.rope_tables(ids.size(1), c.dim, c.base)
        q = rotary.rotate(q, cos, sin)
        cos, sin = rotary.decay_tables_(cos, sin, c.decay)
        k = rotary.rotate(k, cos, sin)
        scores = q @ k.transpose(-2, -1)
        scores /= c.dim**0.5
        scores.masked_fill_(self.causal, float("-inf"))
        x = x + scores.softmax(-1) @ self.v(x)
        return self.out(x)
